import type { Access } from '@sandglass/protocol'

/** Who may call an operation, for people. */
export function accessText(access: Access): string {
  switch (access.to) {
    case 'organization':
      return `Role ${access.role} or higher${access.trial ? ', and trial tokens' : ''}`
    case 'anyone':
      return 'Anyone with a credential'
    case 'operator':
      return 'Operator'
    case 'public':
      return 'Everybody, without a credential'
  }
}
