import { mediaTypes, type PictureFormat, pictureFormats } from '@sandglass/workers/contract'

/**
 * Returns the format that an Accept header (RFC 9110, 12.5.1) prefers. If it has no preference, or accepts none of
 * our formats, the picture's own format is used. A browser, which accepts any image, therefore gets the picture
 * without a conversion.
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
