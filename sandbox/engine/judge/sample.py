"""Values from the schemas of a raw contract. A sample is only returned if jsonschema accepts it."""
import base64
import random
import re
import uuid

import rstr

from contract import WIDTHS

MODES = ("full", "required", "all")  # `all` sends read-only members, too: some contracts require them of a request


class Sampler:
    def __init__(self, contract, seed):
        self.contract = contract
        self.random = random.Random(seed)
        self.patterns = rstr.Rstr(self.random)

    def valid(self, schema, name="value", direction="request", modes=MODES):
        """A value that the schema accepts, or None, None. The second is the mode that made it."""
        for mode in modes:
            for _ in range(6):
                try:
                    value = self.value(schema, name, mode)
                except (Unsampled, RecursionError):
                    continue
                if self.contract.accepts(value, schema, direction):
                    return value, mode
        return None, None

    def flat(self, schema, depth=0):
        """One object without references: allOf is merged, of oneOf and anyOf one branch is chosen."""
        if depth > 24:
            raise Unsampled
        if isinstance(schema, bool):
            return {}
        result = {}
        if isinstance(schema.get("$ref"), str):
            siblings = {key: value for key, value in schema.items() if key != "$ref"} if self.contract.dialect >= "3.1" else {}
            target = self.contract.resolve(schema)
            result = self.flat(target, depth + 1)
            name = schema["$ref"].split("/")[-1]
            property_name = target.get("discriminator") if isinstance(target, dict) else None
            if isinstance(property_name, str):
                result = merge(result, {"properties": {property_name: {"enum": [name]}}})
            return merge(result, siblings)
        for part in schema.get("allOf") or []:
            result = merge(result, self.flat(part, depth + 1))
        result = merge(result, {key: value for key, value in schema.items() if key not in ("allOf", "oneOf", "anyOf")})
        for choice in ("oneOf", "anyOf"):
            branches = [branch for branch in schema.get(choice) or [] if branch.get("type") != "null"]
            if branches:
                branch = self.random.choice(branches)
                result = merge(result, self.flat(branch, depth + 1))
                result = merge(result, self._tag(schema.get("discriminator"), branch))
        return result

    def _tag(self, discriminator, branch):
        """The value of the discriminator that names the chosen branch."""
        if not isinstance(discriminator, dict) or not isinstance(branch.get("$ref"), str):
            return {}
        reference = branch["$ref"]
        values = [key for key, target in (discriminator.get("mapping") or {}).items() if target in (reference, reference.split("/")[-1])]
        return {"properties": {discriminator.get("propertyName"): {"enum": values or [reference.split("/")[-1]]}}}

    def value(self, schema, name="value", mode="full", depth=0):
        if depth > 12:
            raise Unsampled
        schema = self.flat(schema)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            choices = [value for value in schema["enum"] if value is not None] or [None]
            return self.random.choice(choices)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((one for one in kind if one != "null"), "null")
        if kind is None:
            kind = "object" if {"properties", "additionalProperties", "required"} & set(schema) else "array" if "items" in schema else "string"
        if kind in ("integer", "number"):
            return self._number(schema, kind)
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind == "null":
            return None
        if kind == "array":
            return self._array(schema, name, mode, depth)
        if kind == "object":
            return self._object(schema, mode, depth)
        return self._string(schema, name)

    def _number(self, schema, kind):
        low, high, step = schema.get("minimum"), schema.get("maximum"), schema.get("multipleOf")
        if isinstance(schema.get("exclusiveMinimum"), (int, float)) and schema["exclusiveMinimum"] is not True:
            low = schema["exclusiveMinimum"] + (1 if kind == "integer" else 0.5) if schema["exclusiveMinimum"] is not False else low
        elif schema.get("exclusiveMinimum") is True and low is not None:
            low += 1 if kind == "integer" else 0.5
        if schema.get("exclusiveMaximum") is True and high is not None:
            high -= 1 if kind == "integer" else 0.5
        elif isinstance(schema.get("exclusiveMaximum"), (int, float)) and schema["exclusiveMaximum"] is not False:
            high = schema["exclusiveMaximum"] - (1 if kind == "integer" else 0.5)
        if kind == "integer" and high is None and schema.get("format") in WIDTHS:
            high = WIDTHS[schema["format"]][1]
        low = low if low is not None else min(1, high if high is not None else 1)
        high = min(high, low + 9999) if high is not None else low + 9999
        if high < low:
            raise Unsampled
        value = self.random.randint(int(low), int(high)) if kind == "integer" else round(self.random.uniform(low, high), 2)
        if step:
            value = round(-(-low // step) * step + step * self.random.randint(0, max(0, int((high - low) // step) - 1)), 9)
        return int(value) if kind == "integer" else min(max(value, low), high)

    def _string(self, schema, name):
        pick = lambda n: "".join(self.random.choices("abcdefghijkmnpqrstuvwxyz", k=n))
        low, high = schema.get("minLength") or 0, schema.get("maxLength")
        day, clock = self.random.randint(10, 28), f"{self.random.randint(10, 23)}:{self.random.randint(10, 59)}:00"
        formats = {
            "date-time": f"2026-03-{day}T{clock}Z", "date": f"2026-03-{day}", "time": f"{clock}Z", "duration": "PT1H",
            "uuid": str(uuid.UUID(int=self.random.getrandbits(128), version=4)), "email": f"{pick(8)}@example.com",
            "uri": f"https://example.com/{pick(8)}", "url": f"https://example.com/{pick(8)}", "hostname": f"{pick(8)}.example.com",
            "ipv4": "192.0.2." + str(self.random.randint(1, 254)), "ipv6": "2001:db8::" + str(self.random.randint(1, 9)),
            "byte": base64.b64encode(pick(9).encode()).decode(), "int64": str(self.random.randint(1, 99999)),
        }
        formats |= {"guid": formats["uuid"], "uri-reference": formats["uri"], "int32": formats["int64"], "base64": formats["byte"]}
        # A member called `avatar_url` may be of a stricter format in the answer.
        hint = "uri" if re.search("ur[il]$", str(name), re.I) else "email" if re.search("email$", str(name), re.I) else None
        value = formats.get(schema.get("format") or hint)
        value = None if value and hint and high is not None and len(value) > high else value
        if schema.get("pattern"):
            for _ in range(20):
                try:
                    value = self.patterns.xeger(schema["pattern"])
                except Exception as error:  # an expression of another dialect
                    raise Unsampled from error
                plain = re.sub(r"[^A-Za-z0-9 .:/@+_-]", "x", value)
                value = plain if re.search(schema["pattern"], plain) else value
                if low <= len(value) <= (high if high is not None else len(value)) and value.isprintable():
                    return value
            raise Unsampled
        if value is None:
            value = re.sub(r"[^A-Za-z0-9]", "", str(name))[:10].lower() + "-" + pick(6)
            value = value[-high:].strip("-").ljust(min(high, 1), "x") if high is not None and len(value) > high else value
        return value + pick(max(0, low - len(value)))

    def _array(self, schema, name, mode, depth):
        low = schema.get("minItems") or 0
        high = schema.get("maxItems", max(low, 1))
        count = low if mode == "required" or depth > 4 else max(low, min(1, high))
        items, result = schema.get("items", {}), []
        for _ in range(count * 20):
            if len(result) == count:
                break
            value = self.value(items, name, mode, depth + 1)
            if not (schema.get("uniqueItems") and value in result):
                result.append(value)
        return result

    def _object(self, schema, mode, depth):
        members, required, result = schema.get("properties") or {}, schema.get("required"), {}
        required = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
        for name, member in members.items():
            wanted = name in required or (mode != "required" and depth < 2)
            if not wanted or (mode != "all" and self.contract.only(member, "readOnly")):
                continue
            try:
                result[name] = self.value(member, name, mode, depth + 1)
            except Unsampled:
                if name in required:
                    raise
        more = schema.get("additionalProperties")
        for name in required:
            if name not in members:
                result[name] = self.value(more if isinstance(more, dict) else {}, name, mode, depth + 1)
        low = schema.get("minProperties") or (1 if isinstance(more, dict) and not members and mode == "full" and depth < 3 else 0)
        while len(result) < low and more is not False:
            name = f"key{len(result)}"
            result[name] = self.value(more if isinstance(more, dict) else {}, name, mode, depth + 1)
        while mode == "full" and len(result) > schema.get("maxProperties", len(result)):
            result.pop(next((name for name in result if name not in required), next(iter(result))))
        return result


class Unsampled(Exception):
    """The schema is recursive without end, has a pattern of another dialect, or limits that exclude each other."""


def merge(left, right):
    """Both schemas at once, as far as an example needs it; validation decides afterwards."""
    result = dict(left)
    for key, value in right.items():
        if key == "properties" and isinstance(result.get(key), dict):
            result[key] = dict(result[key])
            for name, member in value.items():
                before = result[key].get(name)
                result[key][name] = {"allOf": [before, member]} if before and before != member else member
        elif key == "required" and isinstance(result.get(key), list) and isinstance(value, list):
            result[key] = result[key] + [name for name in value if name not in result[key]]
        elif key == "enum" and isinstance(result.get(key), list):
            result[key] = [one for one in result[key] if one in value] or value
        elif key in ("minimum", "minLength", "minItems") and isinstance(result.get(key), (int, float)):
            result[key] = max(result[key], value)
        elif key in ("maximum", "maxLength", "maxItems") and isinstance(result.get(key), (int, float)):
            result[key] = min(result[key], value)
        else:
            result[key] = value
    return result
