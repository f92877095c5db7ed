// Times Stan's own gradient: reads "N" from standard input, evaluates N gradients of the model at a fixed point, answers with the seconds of
// processor time it took.
#include <stan/io/json/json_data.hpp>
#include <stan/model/log_prob_grad.hpp>
#include <stan/model/model_base.hpp>
#include <ctime>
#include <fstream>
#include <iostream>
#include <vector>

stan::model::model_base &new_model(stan::io::var_context &data, unsigned seed, std::ostream *log);

static double processor() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int, char **argv) {
  std::ifstream file(argv[1]);
  stan::json::json_data data(file);
  stan::model::model_base &model = new_model(data, 1, &std::cerr);
  std::vector<int> whole;
  size_t dim = model.num_params_r();
  std::vector<double> theta(dim), gradient(dim);
  for (size_t i = 0; i < dim; i++) theta[i] = 0.1 * std::sin(3.0 * i + 1);
  for (long n; std::cin >> n;) {
    double start = processor(), lp = 0;
    for (long k = 0; k < n; k++) lp += stan::model::log_prob_grad<true, true>(model, theta, whole, gradient, nullptr);
    std::cout << processor() - start << " " << lp << std::endl;
  }
}
