/// Images: pulled, resumed, kept in a cache, readable while they arrive.
@NullMarked
package dev.pvcpopulators.registrystreamiscsi.image;

import org.jspecify.annotations.NullMarked;
