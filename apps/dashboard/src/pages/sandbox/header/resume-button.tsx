import type { Sandbox } from '@sandglass/protocol'
import { Play } from 'lucide-react'
import { useMay } from '../../../app/rights.ts'
import { Button } from '../../../ui/button.tsx'
import { useSandboxChange } from './use-sandbox-change.ts'

/** Continues a sandbox that was paused or hibernated. */
export function ResumeButton({ sandbox }: { sandbox: Sandbox }) {
  const resume = useSandboxChange('resumeSandbox')
  const mayUse = useMay('member')
  if (!mayUse || sandbox.status !== 'STOPPED') return undefined
  return (
    <Button
      look="primary"
      disabled={resume.isPending}
      onClick={() => resume.mutate({ sandboxId: sandbox.id })}
    >
      <Play />
      {resume.isPending ? 'Resuming' : 'Resume'}
    </Button>
  )
}
