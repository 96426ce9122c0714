import type { Mapping } from '@sandglass/protocol'
import { ExternalLink, Trash2 } from 'lucide-react'
import { useChange } from '../../../app/calls.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { messageOf } from '../../../ui/problems.ts'
import { toast } from '../../../ui/toasts.tsx'

/** A mapped port: its address, to open it, and to copy it for somebody else or for a program. */
export function MappingRow({ sandboxId, mapping }: { sandboxId: string; mapping: Mapping }) {
  const { domain, targetEndpoint, accessToken } = mapping
  const remove = useChange('deleteHttpMapping', ['listHttpMappings'])
  const address = `${location.protocol}//${domain}/`
  const link = `${address}?x-gateway-access-token=${encodeURIComponent(accessToken)}`
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-panel p-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">{targetEndpoint}</p>
        <p className="truncate font-mono text-[13px] text-quiet">{address}</p>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button size="small" asChild>
          <a href={link} target="_blank" rel="noopener noreferrer">
            <ExternalLink aria-hidden="true" />
            Open
          </a>
        </Button>
        <CopyButton text={link} label="Copy link" />
        <CopyButton text={accessToken} label="Copy token" />
        <IconButton
          label={`Remove ${targetEndpoint}`}
          disabled={remove.isPending}
          onClick={() =>
            remove.mutate(
              { sandboxId, targetEndpoint },
              { onError: error => toast(messageOf(error), { isProblem: true }) },
            )
          }
        >
          <Trash2 />
        </IconButton>
      </div>
      <p className="basis-full text-[13px] text-quiet">
        Whoever has the link has access. Programs send the token in the header X-Gateway-Access-Token.
      </p>
    </li>
  )
}
