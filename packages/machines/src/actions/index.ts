export { type DesktopAction, performOnDesktop } from './perform.ts'
export { type PhoneAction, performOnPhone } from './perform-on-phone.ts'
