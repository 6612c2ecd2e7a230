/** The version of this package. A test compares it with package.json and the plugin's schema. */
export const VERSION = "0.2.0";
