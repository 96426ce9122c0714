import { useState } from 'react'
import { useChange } from '../../app/calls.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { OnceShown } from '../../ui/once-shown.tsx'

/** Replaces the operator key. The old one goes on for an hour, so that nothing stops while it is replaced elsewhere. */
export function RotateOperatorKey() {
  const [isAsking, setAsking] = useState(false)
  const [secret, setSecret] = useState<string>()
  const rotate = useChange('rotateOperatorKey')
  const confirm = () =>
    rotate.mutate(
      { body: { graceSeconds: 3600 } },
      {
        onSuccess: ({ operatorKey }) => {
          setAsking(false)
          setSecret(operatorKey)
        },
      },
    )
  return (
    <>
      <Button onClick={() => setAsking(true)}>Rotate the operator key</Button>
      <Confirm
        title="Rotate the operator key?"
        about="The old key ends in an hour. Replace it until then wherever it is used."
        action="Rotate"
        isOpen={isAsking}
        isBusy={rotate.isPending}
        error={rotate.error}
        onClose={() => setAsking(false)}
        onConfirm={confirm}
      />
      <OnceShown title="The new operator key" secret={secret} onClose={() => setSecret(undefined)} />
    </>
  )
}
