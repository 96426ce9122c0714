import type { ScreenSize } from '@sandglass/machines/contract'
import { type ActionResult, ApiError } from '@sandglass/protocol'
import type { Picture } from '../../pictures/pictures.ts'

/** The largest image that is put into a response, because the process that serves everybody has to write it as text. */
const maxBytes = 8 * 1024 * 1024

/**
 * Returns the bytes of a picture for the response itself. They are those that its URL leads to, so nothing is encoded
 * twice. A failure is reported and not thrown, because the action before it cannot be undone.
 */
export async function inlineImage(
  picture: Pick<Picture, 'bytes'>,
  { width, height }: ScreenSize,
): Promise<Pick<ActionResult, 'image' | 'imageError'>> {
  try {
    const { type, body } = await picture.bytes()
    if (body.length > maxBytes) return { imageError: tooLarge(body.length) }
    return { image: { mediaType: type, base64: body.toString('base64'), width, height } }
  } catch (cause) {
    const { code, message } = cause instanceof ApiError ? cause : new ApiError('screenshot.FAILED', { cause })
    return { imageError: { code, message } }
  }
}

function tooLarge(bytes: number): NonNullable<ActionResult['imageError']> {
  const { code, message } = new ApiError('screenshot.TOO_LARGE', {
    message: `The image has ${bytes} bytes, and a response can contain ${maxBytes}.`,
  })
  return { code, message }
}
