"use strict";
(function () {
  var list = document.getElementById("list");
  if (!list) return;
  var body = list.tBodies[0], rows = Array.prototype.slice.call(body.rows);
  var find = document.getElementById("find"), outcome = document.getElementById("outcome"), count = document.getElementById("count");
  var more = document.getElementById("more"), lazy = list.dataset.lazy === "yes", step = 200, shown = lazy ? step : Infinity;
  var words = rows.map(function (row) { return (row.cells[0].textContent + " " + row.cells[1].textContent).toLowerCase(); });
  var order = rows.map(function (_, i) { return i; });
  document.querySelector(".filter").hidden = false;
  document.querySelector(".filter").addEventListener("submit", function (event) { event.preventDefault(); });

  function fits(i) {
    if (find.value && words[i].indexOf(find.value.toLowerCase()) < 0) return false;
    if (!outcome.value) return true;
    var wanted = outcome.value === "borderline" ? "[data-b]" : "td.o-" + outcome.value;
    return rows[i].querySelector(wanted) !== null;
  }
  function show() {
    var left = shown, fitting = 0, part = document.createDocumentFragment();
    order.forEach(function (i) {
      if (!fits(i)) return;
      fitting += 1;
      if (left > 0) { part.appendChild(rows[i]); left -= 1; }
    });
    body.replaceChildren(part);
    count.textContent = fitting === rows.length ? rows.length + " sites" : fitting + " of " + rows.length + " sites";
    if (more) more.hidden = fitting <= shown;
  }
  function value(row, column) {
    var cell = row.cells[column];
    if (cell.dataset.v !== undefined) return cell.dataset.v === "" ? -Infinity : Number(cell.dataset.v);
    return cell.textContent.trim();
  }
  Array.prototype.forEach.call(list.tHead.rows[0].cells, function (head, column) {
    var button = document.createElement("button");
    button.type = "button";
    while (head.firstChild) button.appendChild(head.firstChild);
    head.appendChild(button);
    button.addEventListener("click", function () {
      var up = head.getAttribute("aria-sort") !== "ascending";
      Array.prototype.forEach.call(list.tHead.rows[0].cells, function (other) { other.setAttribute("aria-sort", "none"); });
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      var compare = new Intl.Collator(undefined, { numeric: true }).compare;
      var keys = rows.map(function (row) { return value(row, column); });
      order.sort(function (a, b) {
        var x = keys[a], y = keys[b];
        var d = typeof x === "number" ? (x < y ? -1 : x > y ? 1 : 0) : compare(x, y);
        return (up ? d : -d) || a - b;
      });
      show();
    });
  });
  find.addEventListener("input", function () { if (lazy) shown = step; show(); });
  outcome.addEventListener("change", function () { if (lazy) shown = step; show(); });
  if (more) more.firstElementChild.addEventListener("click", function () { shown += step; show(); });
  show();
  if (!lazy) return;

  var chunks = document.querySelectorAll("script.chunk"), opened = {};
  var size = Math.ceil(rows.length / chunks.length);
  async function texts(k) {
    if (opened[k]) return opened[k];
    var raw = Uint8Array.from(atob(chunks[k].textContent), function (c) { return c.charCodeAt(0); });
    var stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate"));
    opened[k] = JSON.parse(await new Response(stream).text());
    return opened[k];
  }
  async function open() {
    var match = /^#site-(\d+)$/.exec(location.hash);
    if (!match) return;
    var place = Number(match[1]);
    if (place >= rows.length) return;
    var there = document.getElementById("site-" + place);
    if (!there) {
      var made = document.createElement("template");
      made.innerHTML = (await texts(Math.floor(place / size)))[place % size];
      var details = document.getElementById("details");
      var next = Array.prototype.find.call(details.children, function (other) { return Number(other.id.slice(5)) > place; });
      details.insertBefore(made.content, next || null);
      there = document.getElementById("site-" + place);
    }
    there.scrollIntoView();
    there.focus({ preventScroll: true });
  }
  window.addEventListener("hashchange", open);
  open();
})();
