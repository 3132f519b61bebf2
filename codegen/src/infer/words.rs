//! The names that services give the parameters and members of pages. They are compared without signs and in lower case (`spelling`).

/// Parameters with the number of items to skip.
pub(super) const SKIP: &[&str] =
    &["skip", "offset", "startindex", "startat", "start", "from", "first", "startposition", "pageoffset", "pagestart"];

/// Parameters with the number of a page.
pub(super) const PAGE: &[&str] =
    &["page", "pagenumber", "pageindex", "pageno", "pagenum", "currentpage", "pageid", "p", "pagepage", "pn"];

/// Parameters with the number of items of a page.
pub(super) const LIMIT: &[&str] = &[
    "limit",
    "take",
    "top",
    "pagesize",
    "perpage",
    "size",
    "count",
    "max",
    "maxresults",
    "maxitems",
    "maxpagesize",
    "rows",
    "per",
    "pagelimit",
    "resultsperpage",
    "itemsperpage",
    "numresults",
    "pagelength",
    "length",
    "first",
    "last",
    "ps",
    "nb",
    "amount",
    "maxcount",
    "n",
    "recordsperpage",
    "results",
];

/// Parameters with a cursor.
pub(super) const CURSOR: &[&str] = &[
    "cursor",
    "pagetoken",
    "nexttoken",
    "nextpagetoken",
    "continuationtoken",
    "continuation",
    "continue",
    "marker",
    "after",
    "startingafter",
    "startafter",
    "nextcursor",
    "pagecursor",
    "pageafter",
    "bookmark",
    "scrollid",
    "skiptoken",
    "token",
    "startingtoken",
    "aftercursor",
    "nextmarker",
    "startcursor",
    "nextpage",
    "next",
    "sinceid",
    "since",
    "afterid",
    "exclusivestartkey",
    "pagestate",
    "lastkey",
    "startkey",
    "streamposition",
    "position",
    "offset",
];

/// Cursors that identify the last item of the page before.
pub(super) const LAST_ITEM: &[&str] = &["startingafter", "startafter", "after", "afterid", "marker", "sinceid"];

/// Parameters that mean something else as often: they page beside a number of items only.
pub(super) const AMBIGUOUS: &[&str] =
    &["start", "from", "first", "p", "after", "since", "token", "next", "position", "continue", "startkey", "lastkey"];

/// Members with the items.
pub(super) const ITEMS: &[&str] = &[
    "items",
    "data",
    "value",
    "values",
    "results",
    "result",
    "records",
    "entries",
    "content",
    "list",
    "rows",
    "resources",
    "elements",
    "objects",
    "hits",
    "docs",
    "documents",
    "nodes",
    "page",
    "members",
];

/// Members with lists that are about a page or about the request.
pub(super) const NO_ITEMS: &[&str] = &[
    "errors",
    "warnings",
    "messages",
    "links",
    "facets",
    "aggregations",
    "sort",
    "sorts",
    "order",
    "orderby",
    "schemas",
    "filters",
    "includes",
    "included",
    "meta",
    "validationerrors",
    "errormessages",
    "columns",
    "providers",
    "actions",
];

/// Members with an object about a page.
pub(super) const ABOUT: &[&str] = &[
    "pagination",
    "paging",
    "meta",
    "metadata",
    "links",
    "page",
    "pageinfo",
    "pageable",
    "responsemetadata",
    "cursors",
    "cursor",
    "nextpage",
    "next",
    "pagingmetadata",
    "paginginfo",
    "paginationinfo",
    "data",
    "result",
    "response",
    "search",
];

/// Members with an object around the items.
pub(super) const ENVELOPE: &[&str] = &["data", "result", "results", "response", "embedded", "page", "body", "payload"];

/// Members with the number of items in all pages.
pub(super) const TOTAL: &[&str] = &[
    "total",
    "totalcount",
    "totalrecords",
    "totalrecordcount",
    "totalitems",
    "totalelements",
    "totalresults",
    "totalhits",
    "totalsize",
    "totalrows",
    "totalrowcount",
    "totalobjects",
    "totalentries",
    "odatacount",
    "totalmatches",
    "recordcount",
    "itemcount",
    "totalitemcount",
    "recordstotal",
    "recordsfiltered",
    "totalnumberofresults",
    "totalnumber",
    "totalresultcount",
];

/// Members with the number of pages.
pub(super) const PAGES: &[&str] =
    &["totalpages", "pagecount", "totalpagecount", "pagestotal", "numpages", "lastpage", "numberofpages"];

/// Flags that say that there is a next page.
pub(super) const MORE: &[&str] =
    &["hasmore", "hasnext", "hasnextpage", "hasmoreitems", "morerecords", "hasmoreresults", "moreresults"];

/// Members with the address of the next page.
pub(super) const NEXT_LINK: &[&str] = &[
    "nextlink",
    "odatanextlink",
    "nextpageurl",
    "nextpageuri",
    "nexturl",
    "nexturi",
    "nexthref",
    "nextpagelink",
    "nextpagehref",
    "linknext",
];

/// Members with the cursor of the next page.
pub(super) const NEXT_CURSOR: &[&str] = &[
    "nextcursor",
    "nextpagetoken",
    "nexttoken",
    "nextmarker",
    "continuationtoken",
    "nextcontinuationtoken",
    "continuation",
    "endcursor",
    "nextpagecursor",
    "nextpagestate",
    "nextbookmark",
    "bookmark",
    "scrollid",
    "nextoffset",
    "nextstreamposition",
    "nextpageid",
    "nextkey",
    "nextstart",
    "nextskiptoken",
    "lastevaluatedkey",
    "nextpagenumber",
    "nextid",
    "nextafter",
    "paginationtoken",
];

/// Headers with a cursor, or with the number of the next page.
pub(super) const NEXT_HEADER: &[&str] = &[
    "nextcursor",
    "nextpagetoken",
    "nexttoken",
    "nextmarker",
    "continuationtoken",
    "mscontinuation",
    "mscontinuationtoken",
    "nextpage",
    "cursor",
    "next",
    "nextoffset",
    "paginationnextcursor",
    "paginationnext",
    "nextafter",
];

/// Headers with the number of items in all pages.
pub(super) const TOTAL_HEADER: &[&str] = &[
    "total",
    "totalcount",
    "totalitems",
    "totalresults",
    "totalrecords",
    "totalelements",
    "paginationtotal",
    "paginationtotalcount",
    "paginationcount",
    "resultcount",
];

/// Headers with the number of pages.
pub(super) const PAGES_HEADER: &[&str] =
    &["pages", "totalpages", "pagecount", "paginationtotalpages", "paginationpagecount"];

/// Members with the state of a resource; the first one counts.
pub(super) const STATE: &[&str] = &["status", "state", "provisioningstate", "phase"];

/// Words before `status` or `state` in the names of other such members.
pub(super) const PROCESSES: &[&str] = &["job", "run", "operation", "processing", "execution", "task"];

/// Collections of operations that are completed later.
pub(super) const OPERATIONS: &[&str] = &[
    "operations",
    "operation",
    "operationstatus",
    "operationstatuses",
    "operationsstatus",
    "operationsstatuses",
    "operationresults",
    "operationsresults",
    "asyncoperations",
    "asyncoperation",
    "asyncoperationstatus",
    "longrunningoperations",
    "lro",
];

/// States of a success.
pub(super) const SUCCEEDED: &[&str] = &[
    "succeeded",
    "success",
    "successful",
    "completed",
    "complete",
    "done",
    "finished",
    "ready",
    "ok",
    "applied",
    "exported",
    "imported",
    "deployed",
    "processed",
];

/// States of a failure.
pub(super) const FAILED: &[&str] = &[
    "failed",
    "failure",
    "error",
    "errored",
    "faulted",
    "rejected",
    "timedout",
    "timeout",
    "expired",
    "invalid",
    "completedwitherrors",
];

/// States of a cancellation.
pub(super) const CANCELLED: &[&str] =
    &["cancelled", "canceled", "aborted", "stopped", "terminated", "revoked", "killed"];

/// States on the way.
pub(super) const PENDING: &[&str] = &[
    "pending",
    "queued",
    "running",
    "inprogress",
    "processing",
    "started",
    "starting",
    "created",
    "creating",
    "accepted",
    "new",
    "waiting",
    "scheduled",
    "submitted",
    "notstarted",
    "building",
    "deploying",
    "updating",
    "deleting",
    "initializing",
    "initialising",
    "validating",
    "retrying",
    "cancelling",
    "canceling",
    "active",
    "executing",
    "working",
    "enqueued",
    "paused",
    "open",
    "initiated",
    "importing",
    "exporting",
    "provisioning",
    "aborting",
    "stopping",
    "planned",
    "requested",
    "uploading",
    "downloading",
    "ongoing",
    "idle",
    "preparing",
    "finalizing",
];
