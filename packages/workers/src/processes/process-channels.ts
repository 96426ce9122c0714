import type { Channel } from '@sandglass/rpc'

/** The channels of a program. Each output has its own, so that one that is not read does not block the other. */
export interface ProcessChannels {
  readonly stdin: Channel
  readonly stdout: Channel
  readonly stderr: Channel
  readonly control: Channel
}

export function processChannels([stdin, stdout, stderr, control]: readonly Channel[]): ProcessChannels {
  if (!stdin || !stdout || !stderr || !control) throw new Error('the call lacks a channel')
  return { stdin, stdout, stderr, control }
}
