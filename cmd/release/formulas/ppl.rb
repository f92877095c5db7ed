# A formula for Homebrew.
class Ppl < Formula
  desc "Bayesian models from priors and likelihoods to draws, with the inference inside"
  homepage "https://example.org/ppl"
  version "{{.Version}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{.URL}}/{{.darwin_arm64.Name}}"
      sha256 "{{.darwin_arm64.SHA256}}"
    end
    on_intel do
      url "{{.URL}}/{{.darwin_amd64.Name}}"
      sha256 "{{.darwin_amd64.SHA256}}"
    end
  end
  on_linux do
    on_arm do
      url "{{.URL}}/{{.linux_arm64.Name}}"
      sha256 "{{.linux_arm64.SHA256}}"
    end
    on_intel do
      url "{{.URL}}/{{.linux_amd64.Name}}"
      sha256 "{{.linux_amd64.SHA256}}"
    end
  end

  def install
    bin.install "ppl"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completion/ppl.bash" => "ppl"
    zsh_completion.install "completion/_ppl"
    fish_completion.install "completion/ppl.fish"
    pkgshare.install "examples"
  end

  test do
    (testpath/"m.ppl").write("mu ~ Normal(0, 1)\n")
    system bin/"ppl", "sample", "m.ppl", "--draws", "20", "--warmup", "20"
  end
end
