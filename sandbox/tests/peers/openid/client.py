"""Signs in with Authlib as a client of the default kind: `openid` in the scope, a nonce, no PKCE. Arguments: base URL, folder."""

import pathlib
import secrets
import sys
import urllib.parse

import authlib
import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken

base, folder = sys.argv[1], pathlib.Path(sys.argv[2])
redirect = "http://127.0.0.1:49999/callback"
server = requests.get(f"{base}/identity/.well-known/openid-configuration", timeout=10).json()
client = OAuth2Session(
    "aurora-dashboard",
    (folder / "aurora-dashboard.secret").read_text(),
    scope="openid profile",
    redirect_uri=redirect,
)
nonce = secrets.token_urlsafe()
address, state = client.create_authorization_url(server["authorization_endpoint"], nonce=nonce)

browser = requests.Session()
answer = browser.get(address, allow_redirects=False, timeout=10)
login = urllib.parse.urlsplit(urllib.parse.urljoin(base, answer.headers["location"]))
form = {
    "user": "ada",
    "password": (folder / "ada.password").read_text(),
    "returnUrl": urllib.parse.parse_qs(login.query)["returnUrl"][0],
}
answer = browser.post(f"{base}{login.path}", data=form, allow_redirects=False, timeout=10)
answer = browser.get(urllib.parse.urljoin(base, answer.headers["location"]), allow_redirects=False, timeout=10)
token = client.fetch_token(server["token_endpoint"], authorization_response=answer.headers["location"], state=state)

keys = JsonWebKey.import_key_set(requests.get(server["jwks_uri"], timeout=10).json())
claims = jwt.decode(
    token["id_token"],
    keys,
    claims_cls=CodeIDToken,
    claims_options={"iss": {"value": server["issuer"]}, "aud": {"value": "aurora-dashboard"}},
    claims_params={"nonce": nonce, "client_id": "aurora-dashboard", "access_token": token["access_token"]},
)
claims.validate()
user = client.get(server["userinfo_endpoint"]).json()
assert (user["sub"], user["preferred_username"]) == (claims["sub"], "ada"), user
told = client.introspect_token(server["introspection_endpoint"], token["access_token"]).json()
assert told["active"] and told["sub"] == claims["sub"], told
print("Authlib", authlib.__version__)
print("ok a sign-in with openid, the ID token and the user's claims")
