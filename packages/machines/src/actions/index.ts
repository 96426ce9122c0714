export {
  type DesktopAction,
  desktopActionTypes,
  isDesktopAction,
  performOnDesktop,
} from './perform-on-desktop.ts'
export { isPhoneAction, performOnPhone, phoneActionTypes } from './perform-on-phone.ts'
export type { PhoneAction } from './phone-action.ts'
