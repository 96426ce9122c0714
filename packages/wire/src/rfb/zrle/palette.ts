import { RfbError } from '../rfb-error.ts'

/** Looks up a colour of a tile's palette. */
export function colourOf(palette: Uint32Array, index: number): number {
  const colour = palette[index]
  if (colour === undefined)
    throw new RfbError('MALFORMED', `a tile uses colour ${index} of a palette that has ${palette.length}`)
  return colour
}
