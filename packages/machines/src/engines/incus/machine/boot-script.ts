import { defaultScreen, type MachineSpec } from '../../../contract/spec.ts'

/** What programs in a machine find in their environment, besides what its spec adds. */
const usualEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
  DISPLAY: ':0',
  TERM: 'xterm-256color',
}

/** Gives the only network card of a machine, whatever its name is, an address. */
const networkLines = ({ cidr, gateway }: { readonly cidr: string; readonly gateway: string }) => [
  'for card in $(ls /sys/class/net); do [ ! -e "/sys/class/net/$card/device" ] || break; done',
  `ip address add ${cidr} dev "$card"; ip link set "$card" up; ip route add default via ${gateway}`,
]

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/**
 * What guest/cluster-boot reads: a script that writes the files which say who the machine is, and sets its environment. It is encoded,
 * because values may have any characters.
 *
 * @param link the address of a machine that has to set it itself
 */
export function bootScript(
  spec: MachineSpec,
  resolvers: readonly string[],
  link?: { readonly cidr: string; readonly gateway: string },
): string {
  const { width, height } = spec.screen ?? defaultScreen
  const files = {
    '/etc/resolv.conf': resolvers.map(address => `nameserver ${address}\n`).join(''),
    '/etc/hosts': `127.0.0.1\tlocalhost ${spec.id}\n::1\tlocalhost\n`,
    '/etc/hostname': `${spec.id}\n`,
  }
  const lines = [
    `screen=${width}x${height}`,
    // They may be links or anything else.
    `rm -f ${Object.keys(files).join(' ')}`,
    ...Object.entries(files).map(([path, text]) => `printf %s ${quoted(text)} > ${path}`),
    ...(link ? networkLines(link) : []),
    ...Object.entries({ ...usualEnvironment, ...spec.env }).map(
      ([name, value]) => `export ${name}=${quoted(value)}`,
    ),
  ]
  return Buffer.from(lines.join('\n')).toString('base64')
}
