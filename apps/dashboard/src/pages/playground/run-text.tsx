import { Play, RefreshCw } from 'lucide-react'
import { useChange } from '../../app/calls.ts'
import { useMay } from '../../app/rights.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/copy.tsx'
import { ErrorNote } from '../../ui/notes.tsx'

/** Performs what the chosen parser has read, in the sandbox. */
export function RunText({
  sandboxId,
  type,
  text,
  canRun,
  onRan,
}: {
  sandboxId: string
  type: string
  text: string
  canRun: boolean
  onRan: () => void
}) {
  const run = useChange('runModelText')
  const mayRun = useMay('member')
  return (
    <div className="flex flex-col gap-3">
      <div className="flex gap-2">
        {mayRun && (
          <Button
            look="primary"
            disabled={!canRun || run.isPending}
            onClick={() => run.mutate({ sandboxId, body: { type, textContent: text } }, { onSettled: onRan })}
          >
            <Play />
            Run in the sandbox
          </Button>
        )}
        <Button onClick={onRan}>
          <RefreshCw />
          Look again
        </Button>
      </div>
      {run.error && <ErrorNote error={run.error} />}
      {run.data && <Code label="What came of it" text={JSON.stringify(run.data.results, undefined, 2)} />}
    </div>
  )
}
