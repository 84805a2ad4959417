package dev.pvcpopulators.registrystreamiscsi.lun;

import dev.pvcpopulators.iscsitarget.medium.ForwardingMedium;
import dev.pvcpopulators.iscsitarget.medium.Medium;

/// A LUN's view of an image that several LUNs export. Closing it does nothing, because the image
/// belongs to the cache.
final class SharedMedium extends ForwardingMedium {
  SharedMedium(Medium image) {
    super(image);
  }

  @Override
  public void close() {}
}
