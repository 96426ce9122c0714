const words =
  'the quick brown fox jumps over a lazy dog while screens are drawn and agents look at what they did before going on'.split(
    ' ',
  )

/** At this size letters are 8 pixels wide, so that the same letter always has the same pixels, as in a terminal. */
const monospace = 'font-family="DejaVu Sans Mono, monospace" font-size="13.288"'

/** A page of text as SVG, 1280x720, with its words in pseudo-random order. */
export function drawnText(): string {
  let state = 1
  const aWord = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return words[(state >>> 16) % words.length]
  }
  const lines = Array.from({ length: 42 }, (_, line) => {
    const text = Array.from({ length: 26 }, aWord).join(' ')
    return `<text x="16" y="${24 + line * 16}" ${monospace} fill="#222">${text}</text>`
  })
  return svg(1280, 720, '#ffffff', lines)
}

/** A calculator on a phone as SVG, 720x1280. */
export function drawnPhone(): string {
  const keys = [...'C()/789*456-123+0.%='].map((key, at) => {
    const [x, y] = [102 + (at % 4) * 172, 555 + Math.floor(at / 4) * 150]
    const circle = `<circle cx="${x}" cy="${y}" r="70" fill="${at % 4 === 3 ? '#d0bcff' : '#ece6f0'}"/>`
    return `${circle}<text x="${x}" y="${y + 15}" text-anchor="middle" ${sans} font-size="44">${key}</text>`
  })
  const time = `<text x="24" y="36" ${sans} font-size="24">12:30</text>`
  const result = `<text x="690" y="380" text-anchor="end" ${sans} font-size="96">1,234.5</text>`
  return svg(720, 1280, '#fef7ff', [time, result, ...keys])
}

const sans = 'font-family="DejaVu Sans, sans-serif" fill="#1d1b20"'

function svg(width: number, height: number, background: string, parts: readonly string[]): string {
  const ground = `<rect width="${width}" height="${height}" fill="${background}"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${ground}${parts.join('')}</svg>`
}
