import type { Connect } from '@sandglass/protocol'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'

/** What operations on sandboxes need from the live view. */
export interface SandboxLive {
  /** Returns how the caller connects to the sandbox's live room. */
  connect(member: OrganizationPrincipal, sandbox: SandboxRow): Promise<Connect>
  /** Gives control of a sandbox back to its agent. */
  recall(sandboxId: string): Promise<void>
}
