// The state: collections that open to lists of items, and items to read, edit and delete.

import { attempt, coalesced, confirmed, copyButton, count, element, family, identifier, labelled, notify, reconcile, segments, short, table } from "./dom.js";
import { Raw, indented, members, read } from "./json.js";
import { ask, askText, query } from "./live.js";
import { GROUP } from "./own.js";

const SHOWN = 100;
/** The number of collections that are listed at once. */
const LISTED = 300;
/** Members that tell items apart, the most telling first. */
const TELLING = ["name", "title", "subject", "state", "status", "kind", "category", "url", "email", "value", "tag", "createdAt"];

const collectionLink = (address) => `#/state/c/${encodeURIComponent(address)}`;
const itemLink = (address) => `#/state/i/${encodeURIComponent(address)}`;

/** The way to an address, each collection and item on it a link. */
function trail(address) {
  const parts = address.split("/");
  const named = segments(address);
  const from = parts.length - named.length;
  return element("nav", { class: "trail", "aria-label": "Way to this" }, element("ol", {}, element("li", {}, element("a", { href: "#/state" }, family(address) || "state")),
    ...named.map((name, index) => {
      const here = parts.slice(0, from + index + 1).join("/");
      return element("li", {}, here === address ? element("span", { "aria-current": "page" }, name)
        : element("a", { href: index % 2 === 0 ? collectionLink(here) : itemLink(here), title: here }, name));
    })), copyButton(address, "the address"));
}

export default function resources(root) {
  let kind;
  let address;
  let page = SHOWN;
  const filter = element("input", { type: "search", placeholder: "collection", oninput: () => showTree() });
  const tree = element("div", { id: "collections" });
  const none = element("p", { class: "empty" });
  const detail = element("section", { class: "detail", "aria-label": "Collection or item", hidden: true });
  const upload = element("input", { type: "file", id: "restore", accept: "application/json", onchange: attempt(restore, "The state is restored") });
  const saved = element("details", { class: "note" }, element("summary", {}, "Snapshot"), element("p", { class: "actions" },
    element("button", { type: "button", id: "snapshot", onclick: attempt(save) }, "Save as a file"), labelled("Restore a file, instead of the present state", upload)));
  const split = element("div", { class: "split tree" }, element("section", { class: "list" },
    element("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, labelled("Search", filter)), tree, none, saved), detail);
  root.append(split);
  let known = { collections: [], singles: [], files: [] };
  let view;

  const load = coalesced(async () => {
    known = await ask("GET", "/sandbox/collections");
    showTree();
    await view?.load();
  });

  async function save() {
    const text = indented(await askText("GET", "/sandbox/snapshot"));
    const link = element("a", { download: "sandbox-snapshot.json", href: URL.createObjectURL(new Blob([text], { type: "application/json" })) });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  async function restore() {
    const [file] = upload.files;
    if (!file) return;
    const snapshot = new Raw(await file.text());
    upload.value = "";
    await ask("PUT", "/sandbox/snapshot", snapshot);
  }

  function showTree() {
    const text = filter.value.trim().toLowerCase();
    const places = [...known.collections.map((one) => ({ ...one, kind: "c", note: String(one.count) })),
      ...known.singles.map((one) => ({ address: one, kind: "i", note: "single" })),
      ...known.files.map((one) => ({ address: one.address, kind: "i", note: `${one.length.toLocaleString("en")} B` }))];
    const found = places.filter((one) => one.address.toLowerCase().includes(text));
    const listed = found.slice(0, LISTED);
    const families = grouped(listed);
    reconcile(tree, [...families], ([name]) => name, ([name, places]) => element("section", {}, element("h2", {}, name),
      element("ul", {}, ...places.map((one) => element("li", {}, element("a", { class: "row", href: one.kind === "c" ? collectionLink(one.address) : itemLink(one.address), title: one.address },
        element("span", {}, segments(one.address).join(" / ")), element("span", { class: "count" }, one.note)))))));
    none.textContent = found.length > LISTED ? `${count(found.length - LISTED, "more", "more")}: search for them.` : found.length > 0 ? "" : places.length > 0 ? "No collection fits." : "Nothing is stored.";
    mark();
  }

  function grouped(places) {
    const groups = new Map();
    for (const one of places) {
      const name = family(one.address);
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(one);
    }
    return groups;
  }

  function mark() {
    for (const link of tree.querySelectorAll("a.row")) {
      const at = link.title;
      if (address && (at === address || (kind === "i" && address.slice(0, address.lastIndexOf("/")) === at))) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  const close = () => element("a", { class: "close", href: "#/state", "aria-label": "Close" }, "✕");

  /** The list of a collection's items. */
  function collection() {
    const search = element("input", { type: "search", placeholder: "any text of an item", oninput: () => { page = SHOWN; load(true); } });
    const holder = element("div");
    const empty = element("p", { class: "empty" });
    const more = element("button", { type: "button", hidden: true, onclick: () => { page += SHOWN; load(true); } }, "Show more");
    const title = element("h2", {});
    const fields = element("textarea", { id: "new-fields", rows: 6, spellcheck: "false" });
    fields.value = "{}";
    const make = attempt(async () => {
      const made = await ask("POST", "/sandbox/items", { collection: address, fields: new Raw(fields.value) });
      location.hash = itemLink(made.address);
    }, "Added");
    const add = element("details", { class: "note" }, element("summary", {}, "Add an item"), element("form", { onsubmit: make },
      labelled("Fields as JSON; others get plain values", fields), element("p", { class: "actions" }, element("button", { id: "new-item", class: "primary" }, "Add"))));
    detail.replaceChildren(close(), title, trail(address), element("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, labelled("Search in it", search)),
      holder, empty, element("p", { class: "actions" }, more), add);
    let columns = "";
    let list;
    return {
      async load() {
        const at = address;
        const found = await ask("GET", query("/sandbox/items", { collection: at, search: search.value, limit: page }));
        if (at !== address) return;
        title.textContent = `${segments(at).pop()}: ${count(found.total, "item")}`;
        const has = TELLING.filter((name) => found.items.some(({ fields }) => ["string", "number", "boolean"].includes(typeof fields[name]))).slice(0, 3);
        if (has.join() !== columns || !list) {
          columns = has.join();
          list = table("Items, newest first", [["Key"], ...has.map((name, index) => [name, index > 1 ? "wide" : ""])]);
          list.body.id = "items";
          holder.replaceChildren(list.whole);
        }
        reconcile(list.body, found.items, (item) => item.key, (item) => element("tr", {},
          element("th", { scope: "row" }, element("a", { class: "row", href: itemLink(item.address), title: item.key }, short(item.key)), item.isInvented && [" ", element("span", { class: "chip invented" }, "invented")]),
          ...has.map((name, index) => element("td", { class: index > 1 ? "wide" : "" }, short(item.fields[name] ?? "")))));
        list.whole.hidden = found.total === 0;
        empty.textContent = found.total > 0 ? "" : search.value ? "No item fits." : "The collection is empty.";
        more.hidden = found.total <= found.items.length;
      },
    };
  }

  /** One item. */
  function single() {
    const holder = element("div");
    detail.replaceChildren(close(), element("h2", {}, short(segments(address).pop())), trail(address), holder);
    let editing = false;
    let seen;

    function presented(item) {
      const text = item.fields ? indented(item.raw) : item.text ?? "";
      const label = item.fields ? "Fields" : "Bytes";
      return element("div", {}, element("dl", { class: "pairs" },
        ...(GROUP && item[GROUP.member] ? [element("dt", {}, GROUP.label), element("dd", {}, identifier(item[GROUP.member], GROUP.identifier))] : []),
        ...(item.mediaType ? [element("dt", {}, "Media type"), element("dd", {}, `${item.mediaType}, ${count(item.length, "byte")}`)] : []),
        ...(item.isInvented ? [element("dt", {}, "Origin"), element("dd", {}, element("span", { class: "chip invented" }, "invented by the sandbox"))] : []),
        ...(item.key ? [element("dt", {}, "Key"), element("dd", {}, identifier(item.key, "key"))] : [])),
      element("p", { class: "actions" },
        item.fields ? element("button", { type: "button", id: "edit", onclick: () => edit(item) }, "Edit") : undefined,
        copyButton(text, label.toLowerCase(), item.fields ? "Copy JSON" : "Copy text"),
        element("button", { type: "button", id: "delete", class: "danger", onclick: attempt(() => remove(item)) }, "Delete…")),
      element("pre", { id: "fields", tabindex: "0", role: "region", "aria-label": label }, text),
      item.below.length > 0 ? element("section", {}, element("h3", {}, "Below it"), element("ul", { class: "plain" }, ...item.below.map((one) =>
        element("li", {}, element("a", { href: collectionLink(one.address) }, segments(one.address).slice(segments(address).length).join(" / ")), ` ${one.count}`)))) : undefined);
    }

    function edit(item) {
      editing = true;
      const text = indented(item.raw);
      const area = element("textarea", { id: "editor", spellcheck: "false", rows: Math.min(30, text.split("\n").length + 2) });
      area.value = text;
      const problem = element("pre", { class: "problem", role: "alert" });
      const leave = () => {
        editing = false;
        holder.shown = new Map();
        holder.replaceChildren();
        return refresh();
      };
      const save = async (event) => {
        event.preventDefault();
        problem.textContent = "";
        let fields;
        try {
          fields = new Raw(area.value);
        } catch (error) {
          problem.textContent = `This is not JSON: ${error.message}`;
          return;
        }
        try {
          await ask("PUT", query("/sandbox/item", { address }), fields);
          notify("Saved");
          await leave();
          holder.querySelector("#edit")?.focus();
        } catch (error) {
          problem.textContent = error.message;
        }
      };
      holder.shown = new Map();
      holder.replaceChildren(element("form", { onsubmit: save }, labelled("Fields as JSON", area), problem, element("p", { class: "actions" },
        element("button", { id: "save", class: "primary" }, "Save"), element("button", { type: "button", onclick: async () => { await leave(); holder.querySelector("#edit")?.focus(); } }, "Cancel"))));
      area.focus();
    }

    async function remove(item) {
      const below = item.below.reduce((sum, one) => sum + one.count, 0);
      const what = below > 0 ? ` and ${count(below, "item")} below it` : "";
      if (!await confirmed(`Delete ${short(segments(address).pop())}${what}?`, "Delete")) return;
      await ask("DELETE", query("/sandbox/item", { address }));
      notify("Deleted");
      const parent = address.slice(0, address.lastIndexOf("/"));
      location.hash = item.key ? collectionLink(parent) : "#/state";
    }

    async function refresh() {
      const at = address;
      try {
        const text = await askText("GET", query("/sandbox/item", { address: at }));
        if (at !== address) return;
        const raw = members(text).fields?.text;
        const item = { ...read(text), raw };
        if (editing) {
          if (raw !== seen) notify("The item has changed meanwhile; saving replaces it.", "failed");
        } else {
          reconcile(holder, [item], (one) => one.address, presented);
        }
        seen = raw;
      } catch (error) {
        if (error.status !== 404 || at !== address) throw error;
        editing = false;
        holder.shown = new Map();
        holder.replaceChildren(element("p", { class: "empty" }, "There is nothing at this address any more."));
      }
    }

    return {
      get editing() {
        return editing;
      },
      load: refresh,
    };
  }

  return {
    title: "State",
    update: load,
    show([wanted, at]) {
      const same = kind === wanted && address === at;
      kind = wanted;
      address = at;
      page = SHOWN;
      split.classList.toggle("open", Boolean(address));
      detail.hidden = !address;
      if (!same) {
        if (!address) detail.replaceChildren();
        view = !address ? undefined : kind === "c" ? collection() : single();
      }
      mark();
      load(true);
    },
    back() {
      if (!address || view?.editing) return;
      const left = address;
      location.hash = kind === "i" ? collectionLink(left.slice(0, left.lastIndexOf("/"))) : "#/state";
      tree.querySelector(`a.row[title="${CSS.escape(left)}"]`)?.focus();
    },
  };
}
