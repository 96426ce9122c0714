import { Button } from '../../ui/button.tsx'

/** Reads the next page of a list whose newest entries come first. */
export function OlderButton({
  hasMore,
  isReading,
  onRead,
}: {
  hasMore: boolean
  isReading: boolean
  onRead: () => void
}) {
  if (!hasMore) return undefined
  return (
    <div className="flex justify-center">
      <Button disabled={isReading} onClick={onRead}>
        Show older
      </Button>
    </div>
  )
}
