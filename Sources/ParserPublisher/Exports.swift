// Tools import this module alone: the values of its interface come with it.
@_exported public import OTAFeed
@_exported public import OTAManifest
