import type { Application, Sandbox, SandboxApplication } from '@sandglass/protocol'
import { Check, Download } from 'lucide-react'
import { useChange } from '../../../app/calls.ts'
import { useMay } from '../../../app/rights.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { messageOf } from '../../../ui/problems.ts'
import { isBusy, progressOf } from './progress.ts'

/** An application of the catalogue, with its installation in this sandbox if there is one. */
export function ApplicationRow({
  sandbox,
  application,
  installation,
}: {
  sandbox: Sandbox
  application: Application
  installation: SandboxApplication | undefined
}) {
  const install = useChange('installSandboxApplication', ['listSandboxApplications'])
  const mayUse = useMay('member')
  const isThere = installation?.status === 'SUCCEEDED'
  const isInstalling = install.isPending || (installation !== undefined && isBusy(installation))
  const problem = install.error ? messageOf(install.error) : undefined
  return (
    <li className="flex items-start justify-between gap-3 rounded-lg border border-line bg-panel p-3">
      <div className="min-w-0">
        <h3 className="font-medium">{application.name}</h3>
        <p className="text-[13px] text-quiet">{application.description}</p>
        <p
          role="status"
          className={problem || installation?.status === 'FAILED' ? 'text-wrong' : 'text-quiet'}
        >
          {problem ?? (installation && !isThere && progressOf(installation))}
        </p>
      </div>
      {isThere ? (
        <Badge look="good">
          <Check className="size-3" aria-hidden="true" />
          Installed
        </Badge>
      ) : (
        mayUse && (
          <Button
            size="small"
            aria-label={`Install ${application.name}`}
            disabled={isInstalling || sandbox.status !== 'RUNNING'}
            onClick={() => install.mutate({ sandboxId: sandbox.id, appId: application.id })}
          >
            <Download />
            {isInstalling ? 'Installing' : 'Install'}
          </Button>
        )
      )}
    </li>
  )
}
