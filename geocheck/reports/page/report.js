"use strict";
(function () {
  var list = document.getElementById("list");
  if (!list) return;
  var body = list.tBodies[0], heads = Array.prototype.slice.call(list.tHead.rows[0].cells);
  var form = document.querySelector(".filter"), find = document.getElementById("find"), outcome = document.getElementById("outcome");
  var count = document.getElementById("count"), more = document.getElementById("more");
  var lazy = list.dataset.lazy === "yes", step = 200, shown = lazy ? step : Infinity, items = [], order = [];

  // An item is a site in the list: the values it is sorted by, the words it is found by, its outcomes, and its row.
  function fromRow(row) {
    var cells = Array.prototype.slice.call(row.cells);
    return {
      row: row,
      words: (cells[0].textContent + " " + cells[1].textContent).toLowerCase(),
      keys: cells.map(function (cell) {
        return cell.dataset.v === undefined ? cell.textContent.trim() : cell.dataset.v === "" ? -Infinity : Number(cell.dataset.v);
      }),
      has: cells.slice(3).map(function (cell) { return cell.className.slice(2) + (cell.dataset.b === undefined ? "" : " borderline"); }).join(" ").split(" ")
    };
  }
  function fromData(data, place, words) {
    var outcomes = data[4].map(function (code) {
      var known = words[code[0]] || ["", "—", ""];
      return { name: known[0], word: known[1] + (code[1] ? ", borderline" : ""), sign: known[2], close: code.length > 1 };
    });
    return {
      data: data, place: place, outcomes: outcomes,
      words: (data[0] + " " + data[1]).toLowerCase(),
      keys: [data[0], data[1], data[2] === null ? -Infinity : data[2]].concat(outcomes.map(function (o) { return o.word; })),
      has: outcomes.map(function (o) { return o.name + (o.close ? " borderline" : ""); }).join(" ").split(" ")
    };
  }
  // Values become text nodes, never markup.
  function make(tag, text, kind) {
    var node = document.createElement(tag);
    if (kind) node.className = kind;
    if (text) node.appendChild(document.createTextNode(text));
    return node;
  }
  function rowOf(item) {
    if (item.row) return item.row;
    var row = make("tr"), head = make("th"), link = make("a"), plan = make("td");
    head.scope = "row";
    link.href = "#site-" + item.place;
    link.appendChild(make("bdi", item.data[0] || "(no identifier)"));
    head.appendChild(link);
    plan.appendChild(make("bdi", item.data[1]));
    row.append(head, plan, make("td", item.data[3], "n"));
    item.outcomes.forEach(function (o) {
      var cell = make("td", "", "o-" + o.name), sign = make("span", o.sign);
      sign.setAttribute("aria-hidden", "true");
      cell.append(sign, " " + o.word);
      row.appendChild(cell);
    });
    item.row = row;
    return row;
  }
  function show() {
    var wanted = find.value.toLowerCase(), kind = outcome.value, left = shown, fitting = 0, part = document.createDocumentFragment();
    order.forEach(function (i) {
      var item = items[i];
      if ((wanted && item.words.indexOf(wanted) < 0) || (kind && item.has.indexOf(kind) < 0)) return;
      fitting += 1;
      if (left > 0) { part.appendChild(rowOf(item)); left -= 1; }
    });
    body.replaceChildren(part);
    count.textContent = fitting === items.length ? items.length + " sites" : fitting + " of " + items.length + " sites";
    if (more) more.hidden = fitting <= shown;
  }
  function sortBy(column) {
    var up = heads[column].getAttribute("aria-sort") !== "ascending", compare = new Intl.Collator(undefined, { numeric: true }).compare;
    heads.forEach(function (head) { head.setAttribute("aria-sort", "none"); });
    heads[column].setAttribute("aria-sort", up ? "ascending" : "descending");
    order.sort(function (a, b) {
      var x = items[a].keys[column], y = items[b].keys[column];
      var d = typeof x === "number" ? (x < y ? -1 : x > y ? 1 : 0) : compare(x, y);
      return (up ? d : -d) || a - b;
    });
    show();
  }
  function start() {
    order = items.map(function (_, i) { return i; });
    heads.forEach(function (head, column) {
      // Not a button element: Chromium leaves those out of the heads that it repeats on printed pages.
      var button = make("span", "", "sort");
      button.setAttribute("role", "button");
      button.tabIndex = 0;
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () { sortBy(column); });
      button.addEventListener("keydown", function (event) {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sortBy(column); }
      });
    });
    function again() { if (lazy) shown = step; show(); }
    find.addEventListener("input", again);
    outcome.addEventListener("change", again);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    if (more) more.firstElementChild.addEventListener("click", function () { shown += step; show(); });
    form.hidden = false;
    show();
  }
  async function unpacked(node) {
    var raw = Uint8Array.from(atob(node.textContent), function (c) { return c.charCodeAt(0); });
    var stream = new Blob([raw]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  }
  if (!lazy) {
    items = Array.prototype.map.call(body.rows, fromRow);
    start();
    return;
  }

  var chunks = document.querySelectorAll("script.chunk"), opened = {};
  async function open() {
    var match = /^#site-(\d+)$/.exec(location.hash);
    if (!match || Number(match[1]) >= items.length) return;
    var place = Number(match[1]), size = Math.ceil(items.length / chunks.length), k = Math.floor(place / size);
    if (!document.getElementById("site-" + place)) {
      opened[k] = opened[k] || unpacked(chunks[k]);
      var texts = await opened[k];
      var made = document.createElement("template"), details = document.getElementById("details");
      made.innerHTML = texts[place % size]; // made by the same escaping template as the rest of the page
      var next = Array.prototype.find.call(details.children, function (other) { return Number(other.id.slice(5)) > place; });
      details.insertBefore(made.content, next || null);
    }
    var there = document.getElementById("site-" + place);
    there.scrollIntoView();
    there.focus({ preventScroll: true });
  }
  unpacked(document.getElementById("rows")).then(function (told) {
    items = told.rows.map(function (data, place) { return fromData(data, place, told.words); });
    start();
    window.addEventListener("hashchange", open);
    return open();
  });
})();
