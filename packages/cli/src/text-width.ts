/** Made when it is needed, because that takes longer than most commands. */
let segmenter: Intl.Segmenter | undefined

function segmentsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/** Characters that take two places in a terminal: East Asian scripts and emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape sequences of colours are not seen.
const colours = /\u001b\[[0-9;]*m/g

/** How many places a text takes in a terminal. */
export function widthOf(text: string): number {
  if (/^[\u0020-\u007e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of segmentsOf(text.replaceAll(colours, ''))) width += wide.test(segment) ? 2 : 1
  return width
}

/** The beginning of a text that is too wide, and an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  for (const { segment } of segmentsOf(text)) {
    if (widthOf(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}
