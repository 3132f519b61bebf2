"""Judges a running service: each operation once, then each collection step by step."""
import re
import time
import uuid

from answer import Copy, accusation, contains, entries, members_of, objects, plain, singulars
from client import Trouble, best
from contract import is_json
from user import User

# A search that is posted, too, has the form of a collection and is none.
ACTIONS = ("get", "search", "query", "find", "lookup", "filter", "validate")


class Failure(Exception):
    """A step of a walk that does not hold."""

    def __init__(self, cause, detail="", request=None, answer=None):
        super().__init__(cause)
        self.cause, self.detail, self.request, self.answer = cause, detail, request, answer


class NotWalkable(Exception):
    pass


class Judge(User):
    # ---- operations

    def operations(self):
        order = {"post": 0, "get": 1, "head": 1, "delete": 9}
        for op in sorted(self.contract.operations, key=lambda op: (order.get(op.method, 5), -len(op.path) if op.method == "delete" else 0)):
            yield self.operation(op)

    def operation(self, op):
        result = {"operation": str(op), "verdict": "unjudged", "cause": None, "detail": None}
        if "#" in op.path:
            return result | {"cause": "the path has a fragment, which HTTP does not send"}
        if not op.success():
            return result | {"cause": "no success is declared"}
        if time.monotonic() > self.end:
            return result | {"verdict": "wrong", "cause": "the time for the contract was over"}
        for attempt in (0, 0, 1, 2):
            request, why = self._request(op, self.path(op, attempt, fresh=op.method == "delete"))
            if request is None:
                return result | {"cause": why}
            result["request"] = request.shown()
            try:
                answer = self.client.send(request)
            except Trouble as error:
                return result | {"verdict": "wrong", "cause": str(error)}
            result |= {"status": answer.status, "answer": answer.body[:600].decode("utf-8", "replace")}
            # Another operation may have deleted what an identifier names, or another member is the identifier.
            if answer.status not in (404, 410) or not op.names:
                break
            self.known.clear()
        if answer.status == 404 and self.unobtainable:
            return result | {"cause": "no identifier can be had: no valid body for the create, or a list with a required filter"}
        cause, detail = accusation(self.contract, op, answer)
        if cause is None:
            return result | {"verdict": "right"}
        schema = op.success_schema()
        if cause.startswith("body invalid") and schema is not None:
            if self.sampler.valid(schema, direction="answer", modes=("all", "required", "all"))[1] is None:
                return result | {"cause": "no value for the answer's schema", "detail": detail}
        return result | {"verdict": "wrong", "cause": cause, "detail": detail}

    # ---- collections

    def collections(self):
        self.known.clear()
        for create in [op for op in self.contract.operations if op.method == "post" and "#" not in op.path]:
            collection, read = create.path.rstrip("/"), self.contract.at("get", create.path.rstrip("/") + "/{}")
            if read is None:
                continue
            other = self._no_collection(collection, read)
            if other:
                yield {"collection": collection, "verdict": "not walkable", "cause": other, "compared": 0}
            else:
                yield self.collection(collection, create, read)

    def _no_collection(self, collection, read):
        """The reason that two paths have the form of a collection and its item and are none."""
        last, name = collection.rsplit("/", 1)[-1].lower(), read.names[-1].lower()
        if last in ACTIONS or name in ("query", "filter"):
            return "the path names an action"
        listing, create = self.contract.at("get", collection), self.contract.at("post", collection)
        if listing and listing.success_schema() and listing.success_schema() in create.body.values():
            return "the create takes what its own path reads: a single thing"
        if last.endswith("}") and listing and self._shows_identifier(listing, listing.names[-1]):
            return "the path of the create is one of an item"
        if self.contract.at("get", read.path + "/{}") and self._shows_identifier(read, read.names[-1]) is False:
            return "the read answers with a list, whose items have a longer path"
        return None

    def _shows_identifier(self, read, parameter):
        """True if the answer of a read has a member for a parameter of a path; None if it has no known members."""
        words = singulars(re.sub(r"/\{[^{}]*\}$", "", read.path.rstrip("/")))
        keys = ("id", plain(parameter), *(word + "id" for word in words))
        members = [plain(member) for member in members_of(self.contract, read.success_schema() or {})]
        return any(key in members for key in keys) if members else None

    def collection(self, collection, create, read):
        self.compared = 0
        result = {"collection": f"{collection} /{{{read.names[-1]}}}", "steps": [], "verdict": "holds"}
        try:
            if time.monotonic() > self.end:
                raise Failure("the time for the contract was over")
            self._walk(collection, create, read, result["steps"])
        except NotWalkable as error:
            result |= {"verdict": "not walkable", "cause": str(error)}
        except Trouble as error:
            result |= {"verdict": "fails", "step": result["steps"][-1] if result["steps"] else "create", "cause": str(error)}
        except Failure as failure:
            verdict = "not walkable" if failure.cause.startswith("no identifier") else "fails"
            result |= {"verdict": verdict, "step": result["steps"][-1] if result["steps"] else "create", "cause": failure.cause, "detail": failure.detail}
            if failure.request:
                result["request"] = failure.request.shown()
            if failure.answer:
                result |= {"status": failure.answer.status, "answer": failure.answer.body[:600].decode("utf-8", "replace")}
        return result | {"compared": self.compared}

    def _call(self, op, path, **how):
        """A call that has to succeed."""
        request, why = self._request(op, path, **how)
        if request is None:
            raise NotWalkable(f"{op.method}: {why}")
        answer = self.client.send(request)
        if not op.succeeded(answer.status):
            raise Failure(f"{answer.status} to a valid request", "", request, answer)
        cause, detail = accusation(self.contract, op, answer)
        if cause and op.success():
            raise Failure(cause, detail, request, answer)
        return request, answer

    def _read(self, read, path, sent, sent_schema, identifiers, step):
        request, answer = self._call(read, path)
        try:
            value = answer.json()
        except ValueError:
            return None  # a file or text: nothing to compare
        different = self.compare(sent, sent_schema, value, read.success_schema() or {}, identifiers, read.path.rstrip("/").rsplit("/", 1)[0])
        if different:
            case = "" if any(exact for _, exact in different) else " where the names differ in case"
            raise Failure(f"{step} shows another value{case}", "; ".join(words for words, _ in different[:3]), request, answer)
        return value

    def _walk(self, collection, create, read, steps):
        steps.append("create")
        name = read.names[-1]
        parents = self.path(create)
        schema, media = self._schema(read, name), best(create.body)
        request, answer = self._call(create, parents)
        steps.append("read")
        candidates = self.candidates(answer, request, read.path.rstrip("/"), name, schema)
        listing = self.contract.at("get", collection)
        if listing and self._shows_identifier(listing, name):
            listing = None  # a single thing, not a list
        if not candidates and listing:
            # A create that answers with nothing, or with the list: a user looks for the new item in the list.
            candidates = self._from_list(listing, parents, request, read, name, schema)
        if not candidates:
            raise Failure("no identifier in the answer of the create, in its headers or in the list", "", request, answer)
        path = None
        for candidate in candidates[:6]:
            path = self._names(read, parents, candidate)
            answer = self.client.send(self._call_request(read, path))
            if answer.status == 200:
                break
        else:
            path = self._names(read, parents, candidates[0])
        own = {"id", plain(name)} | {owner + "id" for owner in singulars(collection)}
        body_schema = create.body[media] if media else {}
        item = self._read(read, path, request.sent, body_schema, own, "read")
        if listing:
            steps.append("list")
            asked, answer = self._call(listing, dict(zip(listing.names, parents.values())), item=[{"sent": request.sent, "read": item}])
            # A list with a required filter that the item does not answer may leave it out. The version of an API is no filter.
            filters = set(self.filters) - {one["name"] for one in read.parameters}
            if filters:
                steps[-1] = "list by a made-up filter"
            elif is_json(answer.media) and not self._listed(answer.json(), path[name], request, read, schema, item):
                raise Failure("list lacks the created item", f"identifier {path[name]}", asked, answer)
        for method in ("put", "patch"):
            change = self.contract.at(method, read.path)
            if change is None or (change.body and best(change.body) is None):
                continue
            steps.append(method)
            changed, answer = self._call(change, self._names(change, parents, path[name]))
            changed_media = best(change.body)
            if changed_media:
                self._read(read, path, changed.sent, change.body[changed_media], own, f"read after {method}")
        delete = self.contract.at("delete", read.path)
        if delete:
            steps.append("delete")
            self._call(delete, self._names(delete, parents, path[name]))
            steps.append("read after delete")
            self._gone(read, path)
        steps.append("unknown identifier")
        unknown = self._unknown(path[name], schema)
        if unknown is not None:
            self._gone(read, self._names(read, parents, unknown))
        self._incomplete(create, parents, steps)

    def _names(self, op, parents, value):
        """The values by the names of another operation of the path, whose parameters may be called otherwise."""
        return dict(zip(op.names, [*parents.values(), value]))

    def _call_request(self, op, path):
        request, why = self._request(op, path)
        if request is None:
            raise NotWalkable(f"{op.method}: {why}")
        return request

    def _gone(self, read, path):
        request = self._call_request(read, path)
        answer = self.client.send(request)
        if answer.status not in (404, 410):
            raise Failure(f"{answer.status} instead of 404", "", request, answer)

    def _from_list(self, listing, parents, request, read, name, schema):
        """Identifiers of items of the list that repeat texts of the request."""
        _, answer = self._call(listing, dict(zip(listing.names, parents.values())))
        texts = [one for box in objects(request.sent) for one in box.values() if isinstance(one, str) and len(one) > 5]
        try:
            boxes = [box for box in entries(answer.json()) if any(one in box.values() for one in texts)]
        except ValueError:
            return []
        return [one for box in boxes for one in self.candidates(Copy(box), request, read.path.rstrip("/"), name, schema)]

    def _listed(self, value, identifier, request, read, schema, read_item):
        """True if the list has the identifier as the key of an entry, by the same names as for the answer of a create."""
        item, boxes = read.path.rstrip("/"), list(entries(value))
        keys = [key for box in boxes for key in self.candidates(Copy(box), request, item, read.names[-1], schema)]
        if contains(value, identifier) or any(str(key) == str(identifier) for key in keys):
            return True
        # Entries that show no identifier: one of them has the values of the item that was read.
        texts = {name: one for name, one in next(objects(read_item), {}).items() if isinstance(one, (str, int))}
        shared = [[box[name] == texts[name] for name in box if name in texts] for box in boxes]
        return bool(boxes) and not keys and (not any(shared) or any(equal and all(equal) for equal in shared))

    def _unknown(self, value, schema):
        """An identifier of the same form that nothing has; None if the contract lists the possible ones."""
        if isinstance(value, int):
            tries = [value + 7_654_321, value + 7654, value + 37]
        else:
            try:
                uuid.UUID(value)
                tries = [str(uuid.uuid4())]
            except ValueError:
                tries = [str(int(value) + 7_654_321)] if value.isdigit() else []
        samples = [self.sampler.valid(schema, "unknown")[0] for _ in range(3)]
        tries += [f"{one}{uuid.uuid4().hex[:6]}" for one in samples if isinstance(one, str)] + samples
        return next((one for one in tries if one is not None and one != value and self.contract.accepts(one, schema)), None)

    def _incomplete(self, create, parents, steps):
        media = best(create.body)
        if not media or not is_json(media):
            return
        body, mode = self.sampler.valid(create.body[media])
        for box in objects(body):
            for member in list(box):
                value = box.pop(member)
                if self.contract.accepts(body, create.body[media]):
                    box[member] = value
                    continue
                steps.append("required member")
                request, why = self._request(create, parents, body=body)
                if request is None:
                    return
                answer = self.client.send(request)
                if not 400 <= answer.status < 500:
                    raise Failure(f"{answer.status} without a required member", member, request, answer)
                return
