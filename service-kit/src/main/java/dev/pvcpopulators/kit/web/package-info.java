/// The contract over HTTP.
@NullMarked
package dev.pvcpopulators.kit.web;

import org.jspecify.annotations.NullMarked;
