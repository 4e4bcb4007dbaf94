/** A text, a list (of `item`s, as AWS writes them), or fields by their names. */
export type XmlContent = string | readonly XmlContent[] | { readonly [name: string]: XmlContent };

/** A tag that ends something, one that begins something (or is all of it), or text. */
const tokens =
  /<\/([A-Za-z][\w.-]*)\s*>|<([A-Za-z][\w.-]*)(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)>|([^<]+)/y;
const declaration = /^\uFEFF?(?:<\?xml\s[^?]*\?>)?\s*/;

type Open = { readonly name: string; text: string; readonly parts: [string, XmlContent][] };

/**
 * The part of XML that AWS answers in: elements with text or elements in them, and attributes, which say nothing here. All
 * else (comments, entities of one's own, text between elements) is refused: it comes from somebody else.
 */
export function readXml(text: string): XmlContent {
  const document: Open = { name: '', text: '', parts: [] };
  const open = [document];
  let at = declaration.exec(text)?.[0].length ?? 0;
  while (at < text.length) {
    tokens.lastIndex = at;
    const [all, ended, begun, isWhole, words = ''] = tokens.exec(text) ?? [];
    if (all === undefined) throw new NoXml(at);
    at += all.length;
    const inner = open.at(-1) ?? document;
    if (begun !== undefined) open.push({ name: begun, text: '', parts: [] });
    else inner.text += words;
    if (ended === undefined && !isWhole) continue;
    const done = open.pop() ?? document;
    const around = open.at(-1);
    if (!around || (ended !== undefined && ended !== done.name)) throw new NoXml(at);
    around.parts.push([done.name, contentOf(done, at)]);
  }
  if (open.length > 1 || document.parts.length !== 1) throw new NoXml(at);
  return contentOf(document, at);
}

function contentOf({ text, parts }: Open, at: number): XmlContent {
  const words = text.trim();
  if (parts.length === 0) return decoded(words, at);
  if (words !== '') throw new NoXml(at);
  if (parts.every(([name]) => name === 'item')) return parts.map(([, content]) => content);
  const fields = Object.fromEntries(parts);
  if (Object.keys(fields).length < parts.length) throw new NoXml(at);
  return fields;
}

const named: ReadonlyMap<unknown, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

const decoded = (text: string, at: number) =>
  text.replace(/&(?:(\w+)|#(\d{1,7})|#x([\da-fA-F]{1,6}));|&/g, (_all, name, decimal, hex) => {
    const known = named.get(name);
    if (known !== undefined) return known;
    const code = Number(typeof decimal === 'string' ? decimal : `0x${String(hex)}`);
    if (!(code <= 0x10ffff)) throw new NoXml(at);
    return String.fromCodePoint(code);
  });

/** Does not quote the text: credentials may be in there. */
class NoXml extends Error {
  override readonly name = 'NoXml';
  constructor(at: number) {
    super(`no XML as it is expected, before character ${at}`);
  }
}
