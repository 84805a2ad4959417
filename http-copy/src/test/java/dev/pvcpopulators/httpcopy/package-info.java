/// Tests of the service against servers that lie, break off and lead elsewhere.
@NullMarked
package dev.pvcpopulators.httpcopy;

import org.jspecify.annotations.NullMarked;
