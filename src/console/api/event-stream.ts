export type StreamedEvent = { readonly event: string; readonly data: string };

/** Events of a `text/event-stream`, from pieces that may be cut anywhere. */
export class EventParser {
  #rest = '';

  read(piece: string): StreamedEvent[] {
    const blocks = (this.#rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      let event = 'message';
      const data: string[] = [];
      for (const line of block.split('\n')) {
        const [name, value = ''] = line.split(/:(.*)/s, 2);
        if (name === 'event') event = value.replace(/^ /, '');
        if (name === 'data') data.push(value.replace(/^ /, ''));
      }
      return data.length === 0 ? [] : [{ event, data: data.join('\n') }];
    });
  }
}
