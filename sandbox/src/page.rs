//! The page that names the contract, in the way that Swashbuckle's Swagger UI page does.

use axum::response::Html;

/// Where the page lies below the base address.
pub(crate) const PATH: &str = "/swagger/index.html";

/// Tools that look for a contract read the `urls` of `configObject`; addresses are relative to the page.
const PAGE: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
    <meta charset="UTF-8">
    <title>Platform sandbox</title>
</head>
<body>
    <h1>Platform sandbox</h1>
    <ul id="documents"></ul>
    <script>
        var configObject = JSON.parse('{"urls":[{"url":"v1/swagger.json","name":"Platform API v1"}],"deepLinking":false}');
        for (const { url, name } of configObject.urls) {
            const link = document.createElement('a');
            link.href = url;
            link.textContent = name;
            document.getElementById('documents').appendChild(document.createElement('li')).appendChild(link);
        }
    </script>
</body>
</html>
"#;

pub(crate) async fn index() -> Html<&'static str> {
    Html(PAGE)
}
