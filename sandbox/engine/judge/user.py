"""A user of a service: makes requests of its contract, takes identifiers from answers, compares what comes back with what was sent."""
import re
import time
from urllib.parse import unquote, urlsplit

from answer import NAMES, envelopes, members_of, objects, plain, singulars
from client import Client, Trouble, best, build
from contract import same
from sample import Sampler


class User:
    def __init__(self, contract, url, seed=1, seconds=180.0):
        self.contract, self.client, self.sampler = contract, Client(url), Sampler(contract, seed)
        self.end = time.monotonic() + seconds
        self.base, self.known, self.filters = contract.base(), {}, []
        self.base = self._probe()
        self.compared = 0

    def _probe(self):
        """The path of the declared server, or none if the service succeeds without it only.

        Without any success, it is none if the service answers 404 to all below the path and not to all without it: services
        refuse a path that they do not know in ways of their own.
        """
        tries = [op for op in self.contract.operations if not op.names and op.method in ("get", "post")][:10]
        answering = []
        for base in dict.fromkeys([self.base, ""]):
            for op in tries:
                request, _ = self._request(op, {}, base)
                try:
                    status = self.client.send(request).status if request else 404
                except Trouble:
                    continue
                if 200 <= status < 300:
                    return base
                if status not in (404, 405):
                    answering.append(base)
        return (answering or [self.base])[0]

    # ---- requests

    def _request(self, op, path, base=None, body=None, item=None):
        """A request that the contract accepts; None if no valid one could be made."""
        values, item, self.filters = {}, {plain(name): value for box in objects(item) for name, value in box.items()}, []
        for parameter in op.parameters:
            name, where = parameter["name"], parameter["in"]
            if where != "path" and parameter["required"]:
                value, made = self.sampler.valid(parameter["schema"], name)
                if made is None:
                    return None, f"no valid {where} parameter {name}"
                inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else []
                if any(isinstance(one, (dict, list)) for one in inner) and not parameter["json"]:
                    return None, f"OpenAPI has no form for the nested {where} parameter {name}"
                # A filter that the contract requires asks for the item that was created.
                if plain(name) in item and self.contract.accepts(item[plain(name)], parameter["schema"]):
                    value = item[plain(name)]
                elif op.method in ("patch", "put", "delete") and plain(name) in ("id", *(one + "id" for one in singulars(op.path))):
                    identifiers = self._identifiers(op.path, name, path, parameter["schema"], op)
                    value = identifiers[0] if identifiers else value
                elif where == "query":
                    self.filters.append(name)
                values[where, name] = value
        media = best(op.body)
        if op.body and media is None:
            return None, f"the judge does not send {', '.join(op.body)}"
        if media and body is None:
            body, made = self.sampler.valid(op.body[media])
            if made is None:
                return None, "no valid body"
            self._own_identifiers(op, path | {name: value for (where, name), value in values.items() if name == "id"}, body, op.body[media])
        return build(self.contract, op, self.base if base is None else base, path, values, body, media), None

    def _own_identifiers(self, op, path, body, schema):
        """A user who changes an item sends its identifier in the body, if the body has one."""
        if not isinstance(body, dict):
            return
        for parameter, value in path.items():
            last = op.path.rstrip("/").endswith("{" + parameter + "}") or parameter == "id"
            for name in list(body):
                if plain(name) == plain(parameter) or (last and plain(name) == "id"):
                    before, body[name] = body[name], value
                    if not self.contract.accepts(body, schema):
                        body[name] = before

    def path(self, op, attempt=0, fresh=False):
        """Values of the path parameters: from what the collections in front of them answer, else sampled.

        A later attempt takes the next of the likely identifiers of each answer.
        """
        path, prefix, self.unobtainable = {}, "", False
        for part in op.path.split("/"):
            whole = re.fullmatch(r"\{([^{}]+)\}", part)
            for name in re.findall(r"\{([^{}]+)\}", part):
                likely = None
                if whole:
                    last = fresh and name == op.names[-1]
                    likely = self._identifiers(prefix, name, path, self._schema(op, name), op, last)
                path[name] = likely[min(attempt, len(likely) - 1)] if likely else self._sampled(op, name)
            prefix += part + "/"
        return path

    def _schema(self, op, name):
        """The schema of a path parameter, with the values that another operation of the path declares for it."""
        until = op.path[: op.path.index("{" + name + "}") + len(name) + 2]
        siblings = [other for other in self.contract.operations if other.path.startswith(until)]
        schemas = [one["schema"] for other in [op, *siblings] for one in other.parameters if one["in"] == "path" and one["name"] == name]
        own = next(iter(schemas), {"type": "string"})
        values = next((enum for enum in (self.contract.resolve(schema).get("enum") for schema in schemas) if enum), [])
        values = [value for value in values if self.contract.accepts(value, own)]
        return {"enum": values} if values else own

    def _sampled(self, op, name):
        value, mode = self.sampler.valid(self._schema(op, name), name)
        return "judge" if mode is None else value

    def _identifiers(self, collection, name, path, schema, op, fresh=False):
        """Likely identifiers of an item of a collection: of a new one, or of the first of its list."""
        collection = collection.rstrip("/")
        key = (collection, name, str(path))
        if key in self.known and not fresh:
            return self.known[key]
        self.known[key], sources = [], [self.contract.at(method, collection) for method in ("post", "get")]
        self.unobtainable = bool(sources[0]) and not sources[1]
        for source in sources:
            if source is None or source is op:
                continue
            request, _ = self._request(source, dict(zip(source.names, path.values())))
            try:
                answer = request and self.client.send(request)
            except Trouble:
                answer = None
            # A create that the judge can ask for is one that has to give an identifier.
            self.unobtainable &= request is None
            filters = source.method == "get" and self.filters
            if answer and answer.status < 300:
                self.known[key] = self.candidates(answer, request, f"{collection}/{{{name}}}", name, schema, source.method == "get")
                if self.known[key]:
                    break
                # A required filter with a value that the judge made up rightly finds nothing.
                self.unobtainable |= bool(filters)
        return self.known[key]

    # ---- answers

    def candidates(self, answer, request, item, name, schema, of_list=False):
        """Identifiers in an answer that the path parameter accepts, the likeliest first."""
        found = []
        try:
            value = answer.json() if answer.body else None
        except ValueError:
            value = None
        boxes = list(objects(value))
        if not of_list:
            found += self._links([answer.headers.get("location")], item)
            if isinstance(value, (str, int)):
                found.append(value)
            if isinstance(request.sent, dict) and not boxes:
                boxes = list(objects(request.sent))
        elif isinstance(value, list):
            found += [one for one in value if isinstance(one, (str, int))]
        collection, wanted = item.rsplit("/", 1)[0], plain(name)
        owners = singulars(collection)
        own = [id(box) for box, _ in envelopes(self.contract, boxes and value or request.sent, {}, collection)]

        def rank(member, box):
            member = plain(member)
            if member == wanted:
                return 0
            if id(box) not in own and not of_list:
                return None  # of an object beside the item
            if member == "id" or any(member in (owner + "id", owner + "uuid", owner + "key") for owner in owners):
                return 1
            if len(member) > 1 and wanted.endswith(member):
                return 2
            return 3 + NAMES.index(member) if member in NAMES else None
        ranked = []
        for place, box in enumerate(boxes):
            for member, one in box.items():
                if rank(member, box) is not None and isinstance(one, (str, int)) and not isinstance(one, bool) and one != "":
                    # A number is a less likely value of a text parameter than a name.
                    other = 4 if not self.contract.accepts(one, schema) else 0
                    ranked.append((rank(member, box) + other, place, len(ranked), one))
        found += [one for *_, one in sorted(ranked, key=lambda entry: entry[:3])]
        for box in boxes:
            found += self._links([one for one in box.values() if isinstance(one, str) and "/" in one], item)
        result = []
        for one in found:
            if isinstance(one, str) and one.isdigit() and not self.contract.accepts(one, schema):
                one = int(one)
            elif isinstance(one, int) and not self.contract.accepts(one, schema):
                one = str(one)
            if one not in result and self.contract.accepts(one, schema):
                result.append(one)
        return result

    def _links(self, links, item):
        pattern = re.sub(r"\\\{[^{}]*\\\}", "([^/]+)", re.escape(item))
        matches = [re.search(pattern + "/?$", urlsplit(link).path) for link in links if link]
        return [unquote(match.group(match.lastindex)) for match in matches if match]

    def compare(self, sent, sent_schema, answer, read_schema, skip, collection):
        """Members of what was sent that the answer has to repeat and does not: as text, and if their names are the same."""
        pairs, skip = [], skip | {"etag"}  # each change gives an item another tag
        for left, left_schema in envelopes(self.contract, sent, sent_schema, collection):
            left_members = members_of(self.contract, left_schema)
            for right, right_schema in envelopes(self.contract, answer, read_schema, collection):
                members = members_of(self.contract, right_schema) or {name: {} for name in right}
                # `FriendlyName` of a form is `friendly_name` of the answer.
                others = {plain(name): name for name in members}
                shared = [(name, name if name in members else others.get(plain(name))) for name in left if plain(name) not in skip]
                shared = [
                    (name, other) for name, other in shared
                    if other is not None and self._echoed(left_members.get(name, {}), members[other], left[name])
                ]
                pairs.append((len(shared), -len(pairs), shared, left, right, right_schema))
        if not pairs:
            return []
        _, _, shared, left, right, right_schema = max(pairs, key=lambda pair: pair[:2])
        self.compared += len(shared)
        different = []
        for name, other in shared:
            words = (
                self._difference(left[name], right[other], members_of(self.contract, right_schema).get(other, {}), name)
                if other in right else f"{name} is missing"
            )
            different += [(words, name == other)] if words else []
        return different

    def _difference(self, sent, read, schema, at):
        """The first difference of a member, in what both schemas know, as text."""
        schema = self.contract.resolve(schema)
        if isinstance(sent, dict) and isinstance(read, dict):
            members = members_of(self.contract, schema)
            for name, value in sent.items():
                if (members and name not in members) or not self._echoed({}, members.get(name, {}), value):
                    continue
                if name not in read:
                    return f"{at}/{name} is missing"
                words = self._difference(value, read[name], members.get(name, {}), f"{at}/{name}")
                if words:
                    return words
            return None
        if isinstance(sent, list) and isinstance(read, list) and len(sent) == len(read):
            items = schema.get("items", {}) if isinstance(schema, dict) else {}
            return next(filter(None, (self._difference(*pair, items, at) for pair in zip(sent, read))), None)
        return None if same(sent, read) else f"{at} was {str(sent)[:80]}, is {str(read)[:80]}"

    def _echoed(self, left, right, value):
        hidden = any(self.contract.only(schema, word) for schema in (left, right) for word in ("readOnly", "writeOnly"))
        # A member of the same name with another type is another member.
        password = self.contract.resolve(left).get("format") == "password" if isinstance(left, dict) else False
        return not hidden and not password and self.contract.accepts(value, right, "answer")
