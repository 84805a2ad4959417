/// The contract over HTTP.
@NullMarked
package dev.pvcpopulators.volume.web;

import org.jspecify.annotations.NullMarked;
