import { Problem } from '../problem.ts';

export type ServerEvent = { readonly event: string; readonly data: unknown };

/** Events of a `text/event-stream`, until it ends. A broken connection ends it, too: whoever reads looks what is true now. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  let pending = '';
  try {
    for await (const piece of body.pipeThrough(new TextDecoderStream() as TextDecoding)) {
      const blocks = (pending + piece).split(/\r?\n\r?\n/);
      pending = blocks.pop() ?? '';
      for (const block of blocks) {
        const read = eventIn(block);
        if (read) yield read;
      }
    }
  } catch (error) {
    if (signal.aborted) throw new Problem('interrupted', 'interrupted', { cause: error });
    // Anything else is a connection that broke.
  }
}

/** The types of the DOM and of Node differ in what a decoder takes. */
type TextDecoding = ReadableWritablePair<string, Uint8Array>;

function eventIn(block: string): ServerEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ''] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
  }
  if (data.length === 0) return undefined;
  try {
    return { event, data: JSON.parse(data.join('\n')) };
  } catch {
    return undefined; // nothing that the services send
  }
}
