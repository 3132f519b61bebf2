use super::{Clues, RouteWords, is_name, is_opaque, plain_path, with_verb_of, within_family};
use crate::naming::prose::Prose;

#[test]
fn a_name_does_not_repeat_its_family_and_its_verb_is_true() {
    // Method and path, family, summary, `l` for a list, `o` for an object without one, `c` for 201, `i` for a collection with items,
    // `u` if it does not declare its answer, `b` for a path beside items, `r` for a resource, `g` if the path has a GET, `f` for a
    // file, `p` if the path before the parameter has operations.
    let cases = [
        ("GET /api/Library/list", "library", "", "", "list"),
        ("GET /api/Reader/get-progress", "reader", "", "", "get_progress"),
        ("GET /api/v3/movie", "movie", "", "l", "list"),
        ("GET /api/v3/movie/{id}", "movie", "", "", "get"),
        ("DELETE /api/v3/movie/{id}", "movie", "", "", "delete"),
        ("POST /api/v3/movie", "movie", "", "i", "create"),
        ("POST /api/v3/movie", "movie", "Starts a scan", "", "start"),
        ("POST /api/v3/movie", "movie", "Movie", "", "post"),
        ("POST /api/Series/recently-added", "series", "Gets all recently added", "l", "recently_added"),
        ("POST /api/Series/on-deck", "series", "", "l", "on_deck"),
        ("POST /api/Reader/mark-read", "reader", "", "", "mark_read"),
        ("POST /api/Series/mark-series-read", "series", "", "", "mark_read"),
        ("POST /api/v3/command/{id}/completed", "command", "", "", "mark_completed"),
        ("GET /api/v3/config/host", "host_config", "", "", "get"),
        ("PUT /api/v3/config/host/{id}", "host_config", "", "", "update"),
        ("GET /api/v3/moviefile", "movie_file", "", "l", "list"),
        ("PUT /api/v3/moviefile/bulk", "movie_file", "", "", "update_bulk"),
        // A word of the path that begins with the letters of a verb is not the verb and its object.
        ("POST /shop/settings", "shop", "Sets the settings of the shop", "", "set_settings"),
        ("POST /shop/addresses", "shop", "Adds an address to the customer", "", "add_address"),
        ("POST /w/signatures", "w", "Sign the doc", "", "sign_signatures"),
        ("GET /w/checkpoints", "w", "Check the thing", "", "check_checkpoints"),
        // A noun at the beginning is not a verb, and a DELETE ends something.
        ("PUT /links/{id}", "links", "Link details", "", "update"),
        ("DELETE /links/{id}", "links", "Link removal", "", "remove"),
        ("DELETE /exports/{id}", "exports", "Export removal", "", "remove"),
        ("POST /lab/results", "lab", "Test results of a patient", "", "create_result"),
        ("DELETE /y/{id}/z", "y", "Search results are dropped", "", "delete_z"),
        ("DELETE /x/{id}/members/{m}", "x", "Adds a member to the x", "", "delete_member"),
        ("DELETE /x/{id}/members/{m}", "x", "Unassigns a member", "", "unassign_member"),
        ("DELETE /shop/token", "shop", "Token to revoke", "", "delete_token"),
        ("POST /shop/user", "shop", "User to update", "", "post_user"),
        ("GET /shop/profile", "shop", "Profile that belongs to a user", "", "get_profile"),
        // The items of one thing are a list; a thing that can be changed is one, although a GET declares a list.
        ("GET /api/orders/{customer}", "orders", "", "l", "list"),
        ("GET /api/orders/{order}", "orders", "", "lr", "get"),
        ("GET /api/orders/{order}", "orders", "", "lp", "get"),
        ("POST /shapes", "polymorphic_types", "", "", "create_shape"),
        ("POST /settings", "users", "", "", "post_settings"),
        ("POST /shapes", "polymorphic_types", "Returns what matches", "", "get_shapes"),
        ("GET /api/users/{id}/orders", "orders", "", "l", "list_for_user"),
        ("POST /api/users/{id}/orders/{order}/cancel", "orders", "", "", "cancel_for_user"),
        ("GET /api/users/{id}/orders/{order}/lines", "orders", "", "l", "list_lines_for_user"),
        ("POST /api/users/{id}/cancel", "orders", "", "", "cancel_user"),
        ("GET /api/projects/{id}/components", "projects", "", "l", "list_components"),
        ("POST /api/projects/{id}/components", "projects", "", "c", "create_component"),
        ("POST /api/orders/search", "orders", "", "lr", "search"),
        ("POST /api/orders", "orders", "Returns all that match the filter", "l", "query"),
        ("POST /api/orders/{id}", "orders", "", "r", "update"),
        ("GET /api/order-items", "order", "", "l", "list_items"),
        ("GET /ping", "ping", "", "", "ping"),
        ("POST /api/v3/release/push", "release_push", "", "l", "push"),
        ("POST /api/v3/customfilter", "custom_filter", "", "li", "create"),
        ("POST /api/v3/indexer/testall", "indexer", "", "", "test_all"),
        ("POST /api/libraries/{id}/scan", "libraries", "", "", "scan"),
        ("POST /api/v3/instances/create", "instances", "", "", "create"),
        ("GET /api/v3/system/backup", "backup", "", "l", "list"),
        ("POST /api/v3/system/backup/restore/upload", "backup", "", "", "upload_restore"),
        ("POST /api/v3/system/backup/restore/{id}", "backup", "", "", "restore"),
        ("POST /api/v3/queue/grab/{id}", "queue_action", "", "", "grab"),
        ("PUT /api/v3/delayprofile/reorder/{id}", "delay_profile", "", "", "reorder"),
        ("POST /api/v3/history/failed/{id}", "history", "", "", "mark_failed"),
        // A path that can be called, or a resource that can be read, is a thing.
        ("POST /api/orders/release/{id}", "orders", "", "p", "post_release"),
        ("PUT /api/orders/release/{id}", "orders", "", "r", "update_release"),
        ("PATCH /billing/plan/{id}", "billing", "Updates a plan", "", "patch_plan"),
        ("GET /api/orders/search/{term}", "orders", "", "", "search"),
        ("GET /api/orders/search/{id}", "orders", "", "", "get_search"),
        ("POST /api/orders/requests/{id}", "orders", "", "", "post_request"),
        ("GET /api/v3/config/importlist", "import_list_config", "", "", "get"),
        ("POST /filtered-shared-path", "shared_path", "", "", "post_filtered"),
        ("POST /files/form-with-file", "files", "", "", "post_form_with_file"),
        ("GET /", "root", "", "", "get"),
        ("GET /api/{id}", "things", "", "", "get"),
        ("TRACE /api/things", "things", "", "", "trace"),
        ("HEAD /ping", "ping", "", "", "head"),
        // The documentation has the verb, and the path has the object.
        ("POST /orders/{id}/cancellation", "orders", "Cancels an order", "", "cancel"),
        ("POST /jobs", "work", "Submits a job", "i", "submit_job"),
        ("POST /jobs", "work", "Submits jobs", "", "submit_jobs"),
        ("POST /tasks/{id}/actions", "actions", "Perform an action", "", "perform_for_task"),
        ("POST /subscription/{list}", "subscription", "Subscribe to a list", "", "subscribe"),
        ("PUT /things/{id}/tags", "tags", "Sets the tags", "rl", "set_for_thing"),
        ("PUT /cookie", "sessions", "Invalidates the cookie", "", "invalidate_cookie"),
        ("PUT /invalidatecookie", "sessions", "Invalidates the cookie", "", "invalidate_cookie"),
        ("DELETE /session/{id}", "sessions", "Stop session", "", "stop"),
        ("DELETE /session/{id}", "sessions", "Session", "", "delete"),
        ("GET /redirect", "redirect", "Validates a URL", "", "validate"),
        ("GET /orders/{id}", "orders", "Archives of an order", "", "get"),
        ("POST /orders/{id}/void", "orders", "Order cancellation", "", "cancel_void"),
        ("POST /cancellations", "orders", "Order cancellation", "", "cancel"),
        ("POST /cancellations", "orders", "Order cancellation", "i", "create_cancellation"),
        ("GET /orders/{id}/cancellation", "orders", "Order cancellation", "", "get_cancellation"),
        ("GET /strings", "anything", "String validation", "", "validate_strings"),
        ("POST /client/action/{name}", "client", "", "", "perform_action"),
        ("POST /client/actions", "client", "", "i", "create_action"),
        ("GET /parse", "parse", "", "o", "parse"),
        ("POST /files", "files", "Frobnicates a file", "f", "upload"),
        ("POST /files/single", "files", "", "f", "upload_single"),
        ("POST /issues/{id}/assignees", "issues", "Add assignees to an issue", "", "add_assignees"),
        ("DELETE /teams/{id}/members/{user}", "teams", "Remove a user from a team", "", "remove_member"),
        ("PUT /links/{id}", "links", "Remove the shared link", "r", "remove"),
        ("POST /uploads", "camera", "Uploads content", "", "upload"),
        ("POST /camera-uploads", "devices", "Uploads content", "", "upload_camera"),
        ("POST /content/{schema}", "content", "Create an item", "r", "create"),
        ("POST /tokens/scoped", "tokens", "Create a scoped token", "", "create_scoped"),
        ("POST /items/{id}/info", "items", "Gets the info", "rg", "query_info"),
        ("GET /teams/{id}/members/{user}", "teams", "Check if a user is a member", "", "check_member"),
        // The path and the documentation have the same verb.
        ("POST /sessions/{id}/compact", "sessions", "Compact the session", "", "compact"),
        ("POST /workflow/{id}/frobnicate", "workflow", "Frobnicate the workflow", "", "frobnicate"),
        ("POST /workflow/{id}/frobnicate", "workflow", "Workflow", "", "post_frobnicate"),
        ("PUT /gists/{id}/star", "gists", "Star a gist", "rg", "star"),
        ("PUT /gists/{id}/star", "gists", "Star of a gist", "rg", "update_star"),
        ("POST /uploads/{id}/commit", "uploads", "Commit upload", "c", "commit"),
        ("PUT /apps/{id}/suspended", "apps", "Suspend an app", "", "suspend"),
        ("GET /pty/{id}/connect", "pty", "Connect to a session", "", "connect"),
        ("GET /lists/{id}/check-items", "lists", "", "", "list_check_items"),
        ("POST /lists/{id}/check-items", "lists", "", "g", "create_check_item"),
        ("POST /lists/{id}/moveAllCards", "lists", "addListsMoveAllCardsByIdList()", "", "move_all_cards"),
        ("PUT /issues/{id}/labels", "issues", "Set labels for an issue", "r", "set_labels"),
        ("POST /runs/{id}/deployments", "runs", "Deployments", "lg", "create_deployment"),
        ("POST /workflow/message", "workflow", "Message", "", "post_message"),
        ("POST /workflow/{id}/messages", "workflow", "Messages of a workflow", "", "create_message"),
        ("POST /tasks/{id}/removeFollowers", "tasks", "Remove followers", "", "remove_followers"),
        ("POST /files/{id}/upload-sessions", "files", "", "", "create_upload_session"),
        ("GET /apps/{app}/search", "search", "Get results", "l", "in_app"),
        ("POST /role-sets/{id}/roles", "role_sets", "Add roles to a set", "", "add_roles"),
        // The path has the verb, although it is a GET, or has one.
        ("POST /login", "authentication", "", "rg", "login"),
        ("GET /login", "pages", "", "", "get_login"),
        ("GET /logout", "authentication", "", "", "logout"),
        ("GET /api/keepAlive", "authentication", "Refreshes the token", "", "keep_alive"),
        ("GET /set-language", "home", "", "", "set_language"),
        ("GET /set-list", "home", "Returns the sets", "", "get_set_list"),
        ("GET /lookup/person/{id}", "lookup_person", "", "", "lookup"),
        ("GET /movie/lookup/imdb", "movie_lookup", "", "", "lookup_imdb"),
        ("DELETE /orders/DeleteById", "orders", "", "", "delete_by_id"),
        ("DELETE /orders/delete/list", "orders", "", "", "delete_list"),
        ("POST /queue/grab/bulk", "queue_action", "", "", "grab_bulk"),
        ("POST /exclusions/bulk", "exclusions", "", "b", "create_bulk"),
        ("POST /search/bulk", "search", "", "", "post_bulk"),
        // A verb that is mainly a noun is a thing if something else is done to it.
        ("POST /orders/{id}/release", "orders", "Creates a release", "", "create_release"),
        ("POST /orders/{id}/release", "orders", "", "", "release"),
        ("POST /orders/{id}/complete", "orders", "Add complete confirmation", "", "complete"),
        // A GET asks the same.
        ("POST /orders/search", "orders", "", "lrg", "query"),
        ("POST /search", "search", "", "rg", "post"),
        ("POST /rpc/get-orders", "orders", "", "rg", "query"),
        ("POST /get-map", "orders", "", "rg", "query_map"),
        // The family says the verb.
        ("GET /orders/{id}/validate", "validate", "", "", "order"),
        ("GET /names/search", "search", "", "", "names"),
        ("GET /names/near", "search", "Search near to a point", "", "names_near"),
        ("GET /names/near", "search", "", "", "names_near"),
        ("GET /search/filters", "search", "", "l", "list_filters"),
        // One thing or several.
        ("GET /orders", "orders", "", "", "list"),
        ("GET /orders", "orders", "", "o", "get"),
        ("GET /application-settings", "application_settings", "Returns the settings", "", "get"),
        ("GET /indexerstats", "indexer_stats", "", "", "get"),
        ("GET /Organization", "fhir", "Returns a list of organizations", "", "list_organization"),
        ("GET /credit", "credit", "", "iu", "list"),
        ("GET /credit", "credit", "", "i", "get"),
        ("GET /squares", "shapes", "", "o", "get_squares"),
        ("GET /products/all", "crud", "", "", "list_all_products"),
        ("GET /parties/current", "users", "Gets current party", "o", "get_current_party"),
        ("GET /names/{id}.{format}", "name", "", "", "get"),
        ("GET /files/{id}/filescanresult", "file_scan", "", "", "get_result"),
    ];
    let mut wrong = Vec::new();
    for (request, family, prose, marks, name) in cases {
        let (method, path) = request.split_once(' ').expect("a method and a path");
        let has = |mark| marks.contains(mark);
        let route = RouteWords { method, path, prefix: "", answers_array: has('l'), is_resource: has('r') };
        let clues = Clues {
            family,
            prose: Prose::read(prose),
            creates: has('c'),
            answers_one: has('o'),
            sends_file: has('f'),
            has_items: has('i'),
            answers_items: has('u'),
            is_beside_items: has('b'),
            is_item: has('p'),
            is_read: has('g'),
            is_changed: has('r'),
        };
        let given = within_family(route, clues);
        if given != name {
            wrong.push(format!("{request} \"{prose}\" {marks}: {given}, not {name}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_path_without_its_version_query_and_service() {
    for (path, prefix, plain) in [
        ("/ORD/2-0-0/roles/{id}", "", "/ORD/roles/{id}"),
        ("/icons/v3/search?term={term}&size={size}", "/icons", "/icons/v3/search"),
        ("/air_rest.get_map", "", "/get_map"),
        ("/chat.postMessage/{id}", "", "/postMessage/{id}"),
        ("/query.json", "", "/query.json"),
        ("/{id}.{format}", "", "/{id}.{format}"),
        ("/api/1.0/orders", "/api/1.0", "/api/1.0/orders"),
    ] {
        assert_eq!(plain_path(path, prefix), plain, "{path}");
    }
}

#[test]
fn a_type_has_the_verb_of_its_operation() {
    for (name, long, typed) in [
        ("post_content", "create_thing_content", "post_thing_content"),
        ("login", "create_login", "login"),
        ("set_for_thing", "update_thing_tags", "set_thing_tags"),
        ("recent_names", "get_names_recent", "get_names_recent"),
        ("cancel", "cancel_order", "cancel_order"),
    ] {
        assert_eq!(with_verb_of(name, long), typed, "{name}");
    }
}

#[test]
fn a_hash_and_a_number_are_not_names() {
    for id in ["listOrders", "deadbeef", "add", "a1", "orders_2", "get-orders"] {
        assert!(is_name(id), "{id}");
    }
    for id in ["5f2b9c0e7d6a4b3c", "123", "0b7e9a52-1c3d-4e5f-8a9b-0c1d2e3f4a5b", "", " "] {
        assert!(!is_name(id), "{id}");
    }
}

#[test]
fn a_hash_or_a_number_says_nothing() {
    for name in ["n_0b7e9a52_1c3d", "operation_17", "op_5f2b9c0e7d6a4b3c", "n_123", "endpoint12", "get_5f2b9c0e"] {
        assert!(is_opaque(name), "{name}");
    }
    for name in ["get_2", "list", "operation", "deadbeef", "v1_orders", "get_order_20", "op_start_1"] {
        assert!(!is_opaque(name), "{name}");
    }
}
