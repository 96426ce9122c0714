/** `example.com` is that name alone; `*.example.com` is every name below it. */
const pattern = /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

export const isHostPattern = (text: string): boolean => text.length <= 253 && pattern.test(text)

/** Whether a host of an egress list names this host. Both are in lower case. */
export function matchesHost(host: string, name: string): boolean {
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) && name.length > host.length - 1 : name === host
}
