/// Tests the service against servers that send wrong data, cut connections and redirect.
@NullMarked
package dev.pvcpopulators.httpcopy;

import org.jspecify.annotations.NullMarked;
