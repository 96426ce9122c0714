import { useBlocker } from '@tanstack/react-router'

/** Asks before a text that is not saved is left. Returns what asks before another file is opened. */
export function useLeaving(isDirty: boolean): () => boolean {
  const mayLeave = () => !isDirty || confirm('The text is not saved. Leave it?')
  useBlocker({ shouldBlockFn: () => !mayLeave(), enableBeforeUnload: isDirty, disabled: !isDirty })
  return mayLeave
}
