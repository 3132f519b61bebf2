// The one script that reads and writes JSON for the parts of the console that both sandboxes have. JavaScript would round a number such as
// 9007199254740993, so a person edits and copies the text as it came, and the text that a person writes is sent as it is.

const SPACES = " \t\r\n";
const MARKS = "[]{},:";
const STOPS = `${SPACES}${MARKS}"`;

/** The tokens of a text in JSON. A regular expression needs memory for each letter of a long string, and throws. */
function* tokensOf(text) {
  let end = 0;
  for (let index = 0; index < text.length; index = end) {
    const first = text[index];
    end = index + 1;
    if (SPACES.includes(first)) continue;
    if (first === '"') {
      while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
      end += 1;
    } else if (!MARKS.includes(first)) {
      while (end < text.length && !STOPS.includes(text[end])) end += 1;
    }
    yield { token: text.slice(index, end), index };
  }
}

/** A text in JSON that is sent as it is. */
export class Raw {
  constructor(text) {
    JSON.parse(text);
    this.text = text;
  }
}

/** True if JavaScript has the value of a number, with all its digits. */
function isExact(token) {
  const number = Number(token);
  if (/^-?\d+$/.test(token)) return Number.isSafeInteger(number);
  const digits = token.replace(/e.*$/i, "").replace(/[-.]/g, "").replace(/^0+|0+$/g, "");
  return digits === "" || digits.length <= 15 && Number.isFinite(number) && number !== 0;
}

/** The value of a text, to be displayed. A number that JavaScript would round is a text with its digits. */
export function read(text) {
  let exact = "";
  let last = 0;
  for (const { token, index } of tokensOf(text)) {
    if (/^[-\d]/.test(token) && !Number.isNaN(Number(token)) && !isExact(token)) {
      exact += `${text.slice(last, index)}"${token}"`;
      last = index + token.length;
    }
  }
  return JSON.parse(exact + text.slice(last));
}

/** A value as JSON. */
export function written(value) {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map((element) => written(element ?? null))}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).filter(([, member]) => member !== undefined).map(([name, member]) => `${JSON.stringify(name)}:${written(member)}`)}}`;
}

/** The members of a text with an object, each as the text that it is. Another text is an error. */
export function members(text) {
  if (!new Raw(text).text.trimStart().startsWith("{")) throw new SyntaxError("The text is not an object.");
  const all = {};
  let depth = 0;
  let name;
  let start;
  for (const { token, index } of tokensOf(text)) {
    if ((token === "," && depth === 1) || (token === "}" && depth === 1)) {
      if (name !== undefined) Object.defineProperty(all, name, { value: new Raw(text.slice(start, index).trim()), enumerable: true, configurable: true, writable: true });
      name = undefined;
    } else if (token === ":" && depth === 1) start = index + 1;
    else if (depth === 1 && name === undefined) name = JSON.parse(token);
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
  }
  return all;
}

/** A text in JSON with a line for each member and element. The text of each value stays. */
export function indented(text) {
  const tokens = Array.from(tokensOf(text), ({ token }) => token);
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  return tokens.map((token, index) => {
    if (token === "{" || token === "[") {
      depth += 1;
      return "}]".includes(tokens[index + 1]) ? token : token + line();
    }
    if (token === "}" || token === "]") {
      depth -= 1;
      return "{[".includes(tokens[index - 1]) ? token : line() + token;
    }
    return token === "," ? token + line() : token === ":" ? ": " : token;
  }).join("");
}

/** JSON as a person reads it; another text as it is. */
export function pretty(text) {
  try {
    return indented(new Raw(text).text);
  } catch {
    return text;
  }
}
