import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../../app/calls.ts'
import { useOrgId } from '../../../app/session.ts'
import { Code } from '../../../ui/copy.tsx'
import { Table } from '../../../ui/table.tsx'
import type { ShownSandbox } from '../live-sandbox.tsx'
import { Facts } from './facts.tsx'
import { LiveToken } from './live-token.tsx'
import { snippetsOf } from './snippets.ts'

const transports: Readonly<Record<string, string>> = {
  KCP: 'KCP',
  QUIC: 'QUIC',
  WEB_TRANSPORT: 'WebTransport',
  WEBSOCKET: 'WebSocket',
  WEBSOCKET_SECURE: 'WebSocket with TLS',
}

/** How programs reach the sandbox. */
export function ConnectionTab({ sandbox }: { sandbox: ShownSandbox }) {
  const orgId = useOrgId()
  const { data } = useQuery(useCall('getSandbox', { sandboxId: sandbox.id }))
  const isPhone = sandbox.shape.os === 'Android'
  return (
    <div className="flex flex-col gap-5">
      <Facts
        facts={[
          ['Service', location.origin],
          ['Organization', orgId],
          ['Sandbox', sandbox.id],
        ]}
      />
      <section aria-labelledby="by-program" className="flex flex-col gap-2">
        <h2 id="by-program" className="font-medium">
          From a program
        </h2>
        {snippetsOf({ url: location.origin, orgId, sandboxId: sandbox.id, isPhone }).map(([label, text]) => (
          <Code key={label} label={label} text={text} />
        ))}
      </section>
      <section aria-labelledby="gateways" className="flex flex-col gap-2">
        <h2 id="gateways" className="font-medium">
          Live view
        </h2>
        <Table
          label="Gateways"
          rows={data?.connectDetails.gatewayAddresses ?? []}
          idOf={({ gatewayType, address, port }) => `${gatewayType} ${address} ${port}`}
          columns={[
            { title: 'Transport', cell: ({ gatewayType }) => transports[gatewayType] ?? gatewayType },
            { title: 'Address', cell: ({ address, port }) => `${address}:${port}` },
            { title: 'Path', isExtra: true, cell: ({ path = '' }) => path },
          ]}
        />
        <LiveToken sandboxId={sandbox.id} />
      </section>
    </div>
  )
}
