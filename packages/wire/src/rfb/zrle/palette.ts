import { RfbError } from '../rfb-error.ts'

/** A colour of a tile's palette by its number. */
export function colourOf(palette: Uint32Array, index: number): number {
  const colour = palette[index]
  if (colour === undefined)
    throw new RfbError('MALFORMED', `a tile uses colour ${index} of a palette that has ${palette.length}`)
  return colour
}
