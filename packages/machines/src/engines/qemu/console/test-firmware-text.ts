import type { Frame } from '../../../contract/screen.ts'

/** The size of a character in the firmware's font. */
const cell = { width: 8, height: 19 }

/** What the shell of the firmware prints first on a line of its own, from which its font is learned. */
const begin = ['UEFI Interactive Shell v2.2', 'EDK II', 'UEFI v2.70 (EDK II, 0x00010000)']
/** What follows says which disks there are. */
const mappings = { none: 'map: No mapping found.', some: 'Mapping table' }

/** Reads the text on the screen of the firmware's shell. */
export class FirmwareText {
  readonly #font = new Map<string, string>()
  readonly #known: readonly string[]

  constructor(disks: keyof typeof mappings = 'none') {
    this.#known = [...begin, mappings[disks]]
  }

  /** Learns the font from the first lines, and returns whether they are on the screen. */
  learn(frame: Frame): boolean {
    const rows = glyphsOf(frame)
    this.#font.clear()
    for (const [row, text] of this.#known.entries())
      for (const [column, character] of [...text].entries()) {
        const glyph = rows[row]?.[column] ?? ''
        if ((this.#font.get(glyph) ?? character) !== character) return false
        this.#font.set(glyph, character)
      }
    return this.#font.size === new Set(this.#known.join('')).size
  }

  /** The lines of the screen. A character that the known lines do not contain is `\ufffd`. */
  read(frame: Frame): string[] {
    return glyphsOf(frame).map(row =>
      row
        .map(glyph => this.#font.get(glyph) ?? '\ufffd')
        .join('')
        .trimEnd(),
    )
  }
}

/** The shapes of all characters, by row and column, whatever their colours are. */
export function glyphsOf({ width, height, pixels }: Frame): string[][] {
  const [rows, columns] = [Math.floor(height / cell.height), Math.floor(width / cell.width)]
  const [left, top] = [(width - columns * cell.width) >> 1, (height - rows * cell.height) >> 1]
  const isLit = (x: number, y: number) => {
    const at = 4 * (y * width + x)
    return (pixels[at] ?? 0) + (pixels[at + 1] ?? 0) + (pixels[at + 2] ?? 0) > 0
  }
  const glyph = (column: number, row: number) => {
    let bits = ''
    for (let y = 0; y < cell.height; y++)
      for (let x = 0; x < cell.width; x++)
        bits += isLit(left + column * cell.width + x, top + row * cell.height + y) ? '1' : '0'
    return bits
  }
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => glyph(column, row)),
  )
}
