import { mediaTypes, type PictureFormat, pictureFormats } from './format.ts'

/**
 * The format that an Accept header (RFC 9110, 12.5.1) likes best; among those it likes the same, or where it likes none
 * of them, the picture's own. So a browser, which takes any image, gets the picture as it is.
 */
export function acceptedFormat(accept: string | undefined, own: PictureFormat): PictureFormat {
  if (!accept) return own
  const ranges = new Map(accept.split(',').map(parseRange))
  const weight = (format: PictureFormat) =>
    ranges.get(mediaTypes[format]) ?? ranges.get('image/*') ?? ranges.get('*/*') ?? 0
  return pictureFormats.reduce((best, format) => (weight(format) > weight(best) ? format : best), own)
}

function parseRange(text: string): [range: string, weight: number] {
  const [range = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const q = parameters.find(parameter => parameter.startsWith('q='))
  return [range, q === undefined ? 1 : Number(q.slice(2)) || 0]
}
