/** What is built in: which service the extension is for, and what it is called. */
export type Build = {
  /** Where the service answers, without a slash at the end. */
  readonly url: string
  readonly name: string
  readonly version: string
}

export const ICON_SIZES = [16, 32, 48, 128]

/**
 * The manifest (Manifest V3). It may call one host, write into the tab in which the person has just asked for it, keep
 * what it knows, add a line to the context menu, and ask again in some minutes whether a payment has come.
 */
export function manifestOf({ url, name, version }: Build): object {
  const icons = Object.fromEntries(ICON_SIZES.map((size) => [size, `icons/${size}.png`]))
  return {
    manifest_version: 3,
    name,
    version,
    description: '__MSG_description__',
    default_locale: 'en',
    minimum_chrome_version: '121',
    browser_specific_settings: {
      gecko: {
        id: `alibi@${new URL(url).hostname}`,
        strict_min_version: '142.0',
        // What the service is told: the address and its codes.
        data_collection_permissions: {
          required: ['authenticationInfo', 'personallyIdentifyingInfo'],
        },
      },
    },
    icons,
    action: { default_popup: 'popup.html', default_icon: icons, default_title: name },
    // Each browser takes the one that it knows (developer.mozilla.org, "background").
    background: { service_worker: 'background.js', scripts: ['background.js'], type: 'module' },
    commands: {
      _execute_action: { suggested_key: { default: 'Alt+Shift+E' } },
      'insert-excuse': {
        suggested_key: { default: 'Alt+Shift+I' },
        description: '__MSG_insert__',
      },
    },
    permissions: ['activeTab', 'alarms', 'contextMenus', 'scripting', 'storage'],
    // A match pattern without a port is for all of them (developer.chrome.com, "Match patterns").
    host_permissions: [`${new URL(url).protocol}//${new URL(url).host}/*`],
  }
}
