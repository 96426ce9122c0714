import { useState } from 'react'
import { useChange } from '../../../app/calls.ts'
import { useMay } from '../../../app/rights.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorNote } from '../../../ui/notes.tsx'
import { OnceShown } from '../../../ui/once-shown.tsx'

/** Connection details with a token of an hour, for a page that embeds the live view. */
export function LiveToken({ sandboxId }: { sandboxId: string }) {
  const create = useChange('createLiveToken')
  const mayUse = useMay('member')
  const [shown, setShown] = useState<string>()
  const body = { scope: mayUse ? (['view', 'input'] as const).slice() : (['view'] as const).slice() }
  return (
    <div className="flex flex-col items-start gap-2">
      {create.error && <ErrorNote error={create.error} />}
      <Button
        disabled={create.isPending}
        onClick={() =>
          create.mutate(
            { sandboxId, body },
            { onSuccess: details => setShown(JSON.stringify(details, null, 2)) },
          )
        }
      >
        Create connection details for an hour
      </Button>
      <OnceShown title="Connection details" secret={shown} onClose={() => setShown(undefined)} />
    </div>
  )
}
