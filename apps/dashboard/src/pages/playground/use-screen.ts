import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../app/calls.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** The screen of a sandbox, as a picture that is taken when it is looked at. */
export function useScreen(sandboxId: string) {
  const preview = useQuery({
    ...useCall('previewSandbox', { sandboxId, body: { includeImage: true } }),
    enabled: sandboxId !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })
  const image = preview.data?.image
  const picture = image && `data:${image.mediaType};base64,${image.base64}`
  const size: Size | undefined = image && { width: image.width, height: image.height }
  return { picture, size, error: preview.error, look: () => void preview.refetch() }
}
