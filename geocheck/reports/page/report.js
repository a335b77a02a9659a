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

  // A site's detail, made as site.html.j2 makes it for a report of few sites.
  var shared = {}, SVG = "http://www.w3.org/2000/svg";
  function add(parent, parts) {
    parts.forEach(function (part) {
      if (Array.isArray(part)) add(parent, part);
      else if (part && part.nodeType) parent.appendChild(part);
      else if (part !== null && part !== undefined && part !== false && part !== "") parent.appendChild(document.createTextNode(part));
    });
    return parent;
  }
  function filled(node, attributes, parts) {
    Object.keys(attributes || {}).forEach(function (name) { node.setAttribute(name, attributes[name]); });
    return add(node, parts);
  }
  function el(tag, attributes) { return filled(document.createElement(tag), attributes, Array.prototype.slice.call(arguments, 2)); }
  function svg(tag, attributes) { return filled(document.createElementNS(SVG, tag), attributes, Array.prototype.slice.call(arguments, 2)); }
  function between(items, sign) { return items.map(function (item, i) { return [item, i < items.length - 1 ? sign : ""]; }); }
  function hidden(text) { return el("span", { "aria-hidden": "true" }, text); }

  function bar(places, said) {
    if (!places) return null;
    return svg("svg", { "class": "bar", role: "img", viewBox: "0 0 260 40", width: 260, height: 40 }, svg("title", {}, said),
      svg("line", { "class": "axis", x1: 6, x2: 254, y1: 14, y2: 14 }),
      svg("rect", { "class": "band", x: places[0], y: 9, width: places[1], height: 10 }),
      svg("line", { "class": "limit", x1: places[2], x2: places[2], y1: 2, y2: 26 }),
      svg("circle", { "class": "best", cx: places[3], cy: 14, r: 4 }),
      svg("text", { x: 6, y: 37, "font-size": 10 }, places[4]),
      svg("text", { x: 254, y: 37, "font-size": 10, "text-anchor": "end" }, places[5]));
  }
  // A map is drawn as site_map.py draws it for a report of few sites, from ground that is told once for all sites.
  var WIDE = 1200, HIGH = 900, EDGE = 12, NAMED = 7, ground = null;
  function windowOf(box) {
    var across = Math.max((box[2] - box[0]) * 2, (box[3] - box[1]) * 2 * WIDE / HIGH, ground.least), unit = across / WIDE;
    var left = (box[0] + box[2]) / 2 - across / 2, top = (box[1] + box[3]) / 2 + unit * HIGH / 2;
    return { unit: unit, middle: [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2], x: function (x) { return (x - left) / unit; }, y: function (y) { return (top - y) / unit; } };
  }
  function meets(w, box) {
    return w.x(box[0]) <= WIDE + EDGE && w.x(box[2]) >= -EDGE && w.y(box[1]) >= -EDGE && w.y(box[3]) <= HIGH + EDGE;
  }
  // The points of a line in the picture; of those that lie beyond one side of it, the first and the last.
  function drawn(w, steps) {
    var x = 0, y = 0, text = "", last = null, held = null, side = 0;
    function go(px, py) {
      if (last && last[0] === px && last[1] === py) return;
      text += (last ? "L" : "M") + px + "," + py;
      last = [px, py];
    }
    for (var i = 0; i < steps.length; i += 2) {
      x += steps[i]; y += steps[i + 1];
      var px = Math.round(w.x(x)), py = Math.round(w.y(y));
      var out = px < -EDGE ? 1 : px > WIDE + EDGE ? 2 : py < -EDGE ? 4 : py > HIGH + EDGE ? 8 : 0;
      if (out && out === side) { held = [px, py]; continue; }
      if (held) go(held[0], held[1]);
      held = null; side = out;
      go(px, py);
    }
    if (held) go(held[0], held[1]);
    return text.indexOf("L") < 0 ? "" : text;
  }
  // Whether a stretch from one place of the picture's plane to another meets the picture.
  function crosses(ax, ay, bx, by) {
    var from = 0, to = 1, dx = bx - ax, dy = by - ay;
    return [[-dx, ax], [dx, WIDE - ax], [-dy, ay], [dy, HIGH - ay]].every(function (side) {
      if (side[0] === 0) return side[1] >= 0;
      var at = side[1] / side[0];
      if (side[0] < 0) from = Math.max(from, at); else to = Math.min(to, at);
      return from <= to;
    });
  }
  function seen(w, lines, open) {
    var met = lines.some(function (steps) {
      var x = steps[0], y = steps[1];
      for (var i = 2; i < steps.length; i += 2) {
        var nx = x + steps[i], ny = y + steps[i + 1];
        if (crosses(w.x(x), w.y(y), w.x(nx), w.y(ny))) return true;
        x = nx; y = ny;
      }
      return false;
    });
    return met || (!open && within(lines, w.middle[0], w.middle[1]));
  }
  function within(lines, px, py) {
    var inside = false;
    lines.forEach(function (steps) {
      var x = steps[0], y = steps[1];
      for (var i = 2; i < steps.length; i += 2) {
        var nx = x + steps[i], ny = y + steps[i + 1];
        if ((y > py) !== (ny > py) && px < (nx - x) * (py - y) / (ny - y) + x) inside = !inside;
        x = nx; y = ny;
      }
    });
    return inside;
  }
  function path(w, lines, open) {
    return lines.map(function (steps) { var text = drawn(w, steps); return text && !open ? text + "Z" : text; }).join("");
  }
  function map(place, name) {
    var own = ground.sites[place];
    if (!own) return null;
    var w = windowOf(own[0]), parts = [], named = [], taken = [[20, HIGH - 90, 420, HIGH], [WIDE - 90, 0, WIDE, 130]], labels = [];
    function label(text, x, y, kind, size) {
      var letters = Array.from(text), short = letters.length <= 22 ? text : letters.slice(0, 21).join("") + "…";
      var half = Array.from(short).length * size * 0.31 + 4, tall = size * 0.62;
      [0, -1.3 * size, 1.3 * size, -2.6 * size, 2.6 * size].some(function (down) {
        var box = [x - half, y + down - tall, x + half, y + down + tall];
        if (box[0] <= 4 || box[1] <= 4 || box[2] >= WIDE - 4 || box[3] >= HIGH - 4) return false;
        if (taken.some(function (other) { return box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]; })) return false;
        taken.push(box);
        labels.push(svg("text", { "class": "label " + kind, x: Math.round(x), y: Math.round(y + down + size * 0.35), "font-size": size }, short));
        return true;
      });
    }
    function candidate(box, lines, point, text, kind) {
      var x = w.x(point[0]), y = w.y(point[1]);
      var far = x < 0 || y < 0 || x > WIDE || y > HIGH;
      if (far) {
        x = (Math.max(0, w.x(box[0])) + Math.min(WIDE, w.x(box[2]))) / 2;
        y = (Math.max(0, w.y(box[3])) + Math.min(HIGH, w.y(box[1]))) / 2;
        if (!within(lines, box[0] + (x - w.x(box[0])) * w.unit, box[3] - (y - w.y(box[3])) * w.unit)) return;
      }
      named.push({ size: (box[2] - box[0]) * (box[3] - box[1]), text: text, x: x, y: y, kind: kind });
    }
    function draw(role, lines, open) {
      var text = path(w, lines, open);
      if (!text) return;
      if (!parts.length || parts[parts.length - 1][0] !== role) parts.push([role, ""]);
      parts[parts.length - 1][1] += text;
    }
    ground.layers.forEach(function (layer) {
      var role = layer[0], boxes = layer[1], open = shared.lines.indexOf(role) >= 0;
      for (var i = 0; i < layer[2].length; i += 1) {
        var box = boxes.slice(4 * i, 4 * i + 4);
        if (!meets(w, box) || !seen(w, layer[2][i], open)) continue;
        draw(role, layer[2][i], open);
        if (layer[4][i]) candidate(box, layer[2][i], layer[3].slice(2 * i, 2 * i + 2), layer[4][i], "of-parcel");
      }
    });
    ground.sites.forEach(function (other, i) {
      if (!other || i === place || !meets(w, other[0]) || !seen(w, other[1], false)) return;
      draw("others", other[1], false);
      candidate(other[0], other[1], other[2], items[i].data[0], "of-other");
    });
    draw("site", own[1], false);
    label(name, w.x(own[2][0]), w.y(own[2][1]), "of-site", 34);
    ["of-parcel", "of-other"].forEach(function (kind) {
      var said = {};
      named.filter(function (one) { return one.kind === kind; }).sort(function (a, b) { return b.size - a.size; }).slice(0, NAMED).forEach(function (one) {
        if (!said["=" + one.text]) label(one.text, one.x, one.y, kind, 24);
        said["=" + one.text] = true;
      });
    });
    var foot = 1 / (w.unit * ground.feet), most = 320 / foot, power = Math.pow(10, Math.floor(Math.log10(most)));
    var length = [5, 2, 1].filter(function (step) { return step * power <= most * (1 + 1e-9); })[0] * power, right = Math.round(40 + length * foot);
    var roles = parts.map(function (part) { return part[0]; });
    var said = "Map of site " + name + ": " + roles.map(function (role) { return shared.legend[role].toLowerCase(); }).join(", ");
    return { roles: roles, drawn: svg("svg", { "class": "map", role: "img", viewBox: "0 0 1200 900" }, svg("title", {}, said),
      parts.map(function (part) { return svg("path", { "class": part[0], d: part[1] }); }), labels,
      svg("g", { "class": "scale" }, svg("path", { d: "M40,852V866H" + right + "V852" }), svg("text", { x: 40, y: 844, "font-size": 26 }, length.toLocaleString("en-US") + " ft")),
      svg("g", { "class": "north" }, svg("title", {}, "Grid north"), svg("path", { d: "M1155,30l18,52l-18,-12l-18,12z" }),
        svg("text", { x: 1155, y: 112, "font-size": 28, "text-anchor": "middle" }, "N"))) };
  }
  function pictured(s) {
    var made = ground && map(s.place, s.id);
    if (!made) return el("figure", {}, el("p", {}, "No map: the site has no ground."));
    var dates = made.roles.filter(function (role) { return shared.dates[role]; }).map(function (role) { return shared.dates[role]; });
    return el("figure", {}, made.drawn, el("figcaption", {}, el("span", { "class": "legend" }, made.roles.map(key)),
      dates.length ? [el("br"), "Layers: " + dates.join("; ") + "."] : ""));
  }
  function key(role) {
    var sample = shared.lines.indexOf(role) < 0 ? svg("rect", { "class": role, x: 3, y: 3, width: 54, height: 30 }) : svg("path", { "class": role, d: "M3,26L57,10" });
    return [el("span", { "class": "key" }, svg("svg", { "class": "swatch", "aria-hidden": "true", viewBox: "0 0 60 36" }, sample), shared.legend[role]), " "];
  }
  function scroll(label, table) { return el("div", { "class": "scroll", tabindex: 0, role: "group", "aria-label": label }, table); }
  function table(kind, caption, columns, rows) {
    return el("table", kind ? { "class": kind } : {}, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, columns.map(function (name) { return el("th", { scope: "col" }, name); }))), el("tbody", {}, rows));
  }
  function verdicts(judged) {
    var law = shared.law[judged.law];
    return [el("h4", {}, law.cite + " " + law.title), el("ul", { "class": "outcomes" }, judged.outcomes.map(function (o) {
      var words = shared.words[o[0]];
      return el("li", { "class": "o-" + o[0] }, el("span", { "class": "badge" }, hidden(words[1]), " " + words[0] + (o[1] ? ", borderline" : "")), " ",
        between(o[3].map(function (one) { return [el("strong", {}, one[0]), " ", el("span", { "class": "section" }, one[1])]; }), ", "),
        o[2] ? [el("br"), o[2]] : "");
    })), judged.open.length ? [el("p", { "class": "why" }, "Why it is open:"), el("ul", {}, judged.open.map(function (gap) {
      var means = shared.means[gap[1]];
      return el("li", {}, el("strong", {}, gap[0]), ", " + gap[1] + (means ? ": " + means : "") + (gap[2] ? " (" + gap[2] + ")" : "") + ".");
    }))] : ""];
  }
  function numbers(judged, law) {
    if (!judged.numbers.length) return "";
    var title = law.cite + ": numbers against their thresholds";
    var columns = ["Clause", "What", "Value", "Threshold", "Band: interval, dot: best value, line: threshold", "Met"];
    return scroll(law.cite + ": numbers against thresholds", table("numbers", title, columns, judged.numbers.map(function (n) {
      var one = law.numbers[n[0]], below = n[3] || n[2], limit = one[3] + " " + one[4];
      return el("tr", {}, el("th", { scope: "row", "class": "c" }, one[0], one[1] ? [el("br"), el("small", {}, "if read as " + one[1])] : ""),
        el("td", {}, one[2]), el("td", { "class": "n" }, n[1], below ? [el("br"), el("small", {}, below)] : ""), el("td", { "class": "n" }, limit),
        el("td", {}, bar(n[5], n[1] + (n[2] ? ", " + n[2] : "") + ", against " + limit)), el("td", { "class": "t-" + n[4] }, n[4]));
    })));
  }
  function clauses(judged, law) {
    var columns = ["Clause", "What it says", "Applies", "Facts seen"];
    var idle = judged.idle.map(function (n) { var one = law.numbers[n]; return one[0] + " " + one[2] + ", " + one[3] + " " + one[4]; });
    return [idle.length ? el("p", { "class": "idle" }, el("strong", {}, "None at all:"), " " + idle.join("; ") + ".") : "",
      judged.deciding.length ? scroll(law.cite + ": clauses that decide", table("", law.cite + ": clauses that decide", columns, judged.deciding.map(function (c) {
        var words = law.adopted[c[0]];
        return el("tr", {}, el("th", { scope: "row", "class": "c" }, c[0]), el("td", {}, law.says[c[0]] || "", words ? el("blockquote", {}, el("p", {}, words)) : ""),
          el("td", { "class": "t-" + c[1] }, c[1]), el("td", {}, c[2], c[3] ? [" ", el("small", {}, c[3])] : ""));
      }))) : "",
      judged.reserved.length ? el("p", { "class": "reserved" }, el("strong", {}, law.cite + ", reserved."), " No decision is on file; an official may still invoke",
        judged.reserved.map(function (label, i) {
          var says = (law.says[label] || "").replace(/^\.+|\.+$/g, "");
          return " " + label + (says ? " (" + says + ")" : "") + (i < judged.reserved.length - 1 ? ";" : ".");
        })) : ""];
  }
  function listed(title, items, tell) {
    return items.length ? [el("p", { "class": "why" }, title), el("ul", {}, items.map(function (item) { return el("li", {}, tell(item)); }))] : "";
  }
  function article(s) {
    return el("article", { "class": "site", id: "site-" + s.place, tabindex: -1, "aria-labelledby": "h-" + s.place },
      el("h3", { id: "h-" + s.place }, "Site ", el("bdi", {}, s.id)),
      el("p", { "class": "facts-line" }, "Disturbed area " + s.area, s.plan ? [" · common plan ", el("bdi", {}, s.plan)] : "", s.phase ? [" · phase ", el("bdi", {}, s.phase)] : "",
        " ", el("a", { "class": "back", href: "#sites" }, "back to the list")),
      el("div", { "class": "two" },
        el("div", { "class": "verdicts" }, s.judged.length ? s.judged.map(verdicts) : el("p", {}, "No ordinance was judged for this site.")),
        pictured(s)),
      s.judged.map(function (judged) { var law = shared.law[judged.law]; return [numbers(judged, law), clauses(judged, law)]; }),
      listed("Questions that could still settle something:", s.questions, function (q) { return [q[0] + " ", el("small", {}, q[1] + ", " + q[2])]; }),
      listed("Not checked:", s.unknown, function (f) { return f[0] + ": " + f[1] + (f[2] ? ", " + f[2] : ""); }));
  }

  var chunks = document.querySelectorAll("script.chunk"), opened = {};
  async function open() {
    var match = /^#site-(\d+)$/.exec(location.hash);
    if (!match || Number(match[1]) >= items.length) return;
    var place = Number(match[1]), size = Math.ceil(items.length / chunks.length), k = Math.floor(place / size);
    opened[k] = opened[k] || unpacked(chunks[k]);
    var sites = await opened[k], told = document.getElementById("ground");
    if (!ground && told) { ground = await unpacked(told); told.remove(); }
    var there = document.getElementById("site-" + place);
    if (!there) {
      var details = document.getElementById("details");
      var next = Array.prototype.find.call(details.children, function (other) { return Number(other.id.slice(5)) > place; });
      there = details.insertBefore(article(sites[place % size]), next || null);
    }
    there.scrollIntoView();
    there.focus({ preventScroll: true });
  }
  unpacked(document.getElementById("rows")).then(function (told) {
    shared = told.shared;
    items = told.rows.map(function (data, place) { return fromData(data, place, told.words); });
    start();
    window.addEventListener("hashchange", open);
    return open();
  });
})();
