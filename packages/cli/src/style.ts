import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Colours for a stream, which are left out unless it is a terminal whose owner wants them. */
export class Style {
  readonly isColoured: boolean

  constructor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv) {
    this.isColoured = env['FORCE_COLOR']
      ? env['FORCE_COLOR'] !== '0'
      : stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  }

  red = (text: string): string => this.#in('red', text)
  green = (text: string): string => this.#in('green', text)
  yellow = (text: string): string => this.#in('yellow', text)
  dim = (text: string): string => this.#in('dim', text)
  bold = (text: string): string => this.#in('bold', text)

  #in(format: Format, text: string): string {
    return this.isColoured ? styleText(format, text, { validateStream: false }) : text
  }
}
